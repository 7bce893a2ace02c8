import torch
from torch import nn


class Scale(nn.Module):
    def forward(self, factor, x):
        return factor * x


layer, x = Scale(), torch.tensor([3.0, 4.0], requires_grad=True)
layer.register_full_backward_hook(
    lambda module, grad_input, grad_output: print([g.norm().item() for g in grad_input])
)
try:
    layer(2, x).sum().backward()
except AttributeError as error:
    print(f"{type(error).__name__}: {error}")
