import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.register_buffer("scale", torch.ones(2), persistent=False)

    def forward(self, x):
        return self.linear(x) * self.scale


model = Scaled().to("meta")
print("scale moved:", model.scale.is_meta)
print("output:", tuple(model(torch.ones(1, 2, device="meta")).shape))
print("saved:", list(model.state_dict()))
