import torch
from torch import nn

layer = nn.Linear(1, 1, bias=False)
nn.init.constant_(layer.weight, 2.0)
x = torch.tensor([[3.0]], requires_grad=True)

layer.register_full_backward_hook(lambda module, inputs, outputs: (inputs[0] * 10,))
layer(x).backward()
print("weight.grad:", layer.weight.grad.item())
print("x.grad:     ", x.grad.item())
