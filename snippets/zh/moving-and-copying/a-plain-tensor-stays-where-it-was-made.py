import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.scale = torch.ones(2)

    def forward(self, x):
        return self.linear(x) * self.scale


model = Scaled().to("meta")  # 由它扮演 GPU
print("weight moved:", model.linear.weight.is_meta)
print("scale moved: ", model.scale.is_meta)
try:
    model(torch.ones(1, 2, device="meta"))
except RuntimeError:
    print("RuntimeError: two devices in one operation")
