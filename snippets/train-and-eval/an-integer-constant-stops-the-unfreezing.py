import torch
from torch import nn


class Remap(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))
        self.ids = nn.Parameter(torch.tensor([1, 0]), requires_grad=False)
        self.shift = nn.Parameter(torch.zeros(2))


model = Remap()
model.requires_grad_(False)
try:
    model.requires_grad_(True)
except RuntimeError as error:
    print(f"{type(error).__name__}: {error}")
for name, parameter in model.named_parameters():
    print(name, parameter.requires_grad)
