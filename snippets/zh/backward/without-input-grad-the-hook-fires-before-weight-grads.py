import warnings

import torch
from torch import nn

layer = nn.Linear(2, 1, bias=False)
nn.init.constant_(layer.weight, 3.0)


def hook(module, grad_input, grad_output):
    inputs = [None if g is None else g.tolist() for g in grad_input]
    print("grad_input", inputs, "weight.grad there:", module.weight.grad is not None)


layer.register_full_backward_hook(hook)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    layer(torch.ones(1, 2)).sum().backward()
print("warned:", "no inputs require gradients" in str(caught[0].message))

layer.zero_grad()
layer(torch.ones(1, 2, requires_grad=True)).sum().backward()
