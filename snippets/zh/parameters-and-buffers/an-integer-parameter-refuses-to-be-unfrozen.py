import torch
from torch import nn

ids = torch.tensor([3, 1, 2])
try:
    nn.Parameter(ids)
except RuntimeError as error:
    print(str(error).split(",")[0])

model = nn.Module()
model.first = nn.Parameter(torch.ones(1))
model.ids = nn.Parameter(ids, requires_grad=False)
model.last = nn.Parameter(torch.ones(1))
model.requires_grad_(False)
try:
    model.requires_grad_(True)
except RuntimeError:
    print({name: p.requires_grad for name, p in model.named_parameters()})
