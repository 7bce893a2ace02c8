import torch
from torch import nn

layer = nn.Linear(1, 1, bias=False)
nn.init.constant_(layer.weight, 3.0)
calls = []
layer.register_full_backward_hook(lambda *_: calls.append("module"))
layer.weight.register_hook(lambda gradient: calls.append(gradient.item()))

x = torch.tensor([[2.0]], requires_grad=True)
layer(layer(x)).backward()
print(calls, layer.weight.grad.item())
