import torch
from torch import nn


class Remap(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("ids", torch.tensor([1, 0]))
        self.shift = nn.Parameter(torch.zeros(2))


model = Remap()
model.requires_grad_(False)
model.requires_grad_(True)
for name, parameter in model.named_parameters():
    print(name, parameter.requires_grad)
print("saved:", list(model.state_dict()))
