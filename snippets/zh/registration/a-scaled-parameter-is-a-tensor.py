import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4)) * 0.02


model = Scaled()
print("Parameters:", len(list(model.parameters())))
print(type(model.weight).__name__, " a leaf:", model.weight.is_leaf)

for dtype in (torch.float32, torch.float64):
    print(dtype, type(nn.Parameter(torch.ones(4)).to(dtype)).__name__)
