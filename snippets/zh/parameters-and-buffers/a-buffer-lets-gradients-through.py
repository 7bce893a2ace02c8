import torch
from torch import nn

model = nn.Module()
model.weight = nn.Parameter(torch.ones(2))
model.register_buffer("mask", torch.tensor([5.0, 0.0]))
x = torch.ones(2, requires_grad=True)

(x * model.weight * model.mask).sum().backward()
print("input: ", x.grad.tolist())
print("weight:", model.weight.grad.tolist())
print("mask:  ", model.mask.grad)
