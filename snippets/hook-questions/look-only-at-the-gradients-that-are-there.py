import torch
from torch import nn


class Scale(nn.Module):
    def forward(self, factor, x):
        return factor * x


def hook(module, grad_input, grad_output):
    for position, gradient in enumerate(grad_input):
        print(position, "none" if gradient is None else gradient.tolist())


layer, x = Scale(), torch.tensor([3.0, 4.0], requires_grad=True)
layer.register_full_backward_hook(hook)
layer(2, x).sum().backward()
