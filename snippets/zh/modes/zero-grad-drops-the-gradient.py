import torch
from torch import nn

layer = nn.Linear(1, 1, bias=False)
x = torch.tensor([[3.0]])

layer(x).backward()
layer(x).backward()
print("two backwards, one sum:", layer.weight.grad.item())

held = layer.weight.grad
layer.zero_grad()
print("after zero_grad():", layer.weight.grad, "| what was held:", held.item())

layer(x).backward()
held = layer.weight.grad
layer.zero_grad(set_to_none=False)
print("set_to_none=False:", layer.weight.grad.item(), "| what was held:", held.item())
