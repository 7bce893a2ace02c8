import warnings

import torch
from torch import nn

layer = nn.Linear(2, 1)
layer.register_full_backward_hook(
    lambda module, grad_input, grad_output: print("weight.grad:", module.weight.grad)
)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    layer(torch.ones(1, 2)).sum().backward()
print(f"{caught[0].category.__name__}: {caught[0].message}")
print("after backward:", layer.weight.grad.tolist())
