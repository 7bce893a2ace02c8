import torch
from torch import nn


class Weighted(nn.Module):
    def forward(self, data, weight, power, *, bonus):
        return data * weight**power + bonus


def hook(module, grad_input, grad_output):
    print([None if gradient is None else gradient.item() for gradient in grad_input])


weight, bonus = (torch.tensor(value, requires_grad=True) for value in (3.0, 5.0))
layer = Weighted()
layer.register_full_backward_hook(hook)
layer(torch.tensor(2.0), weight, 2, bonus=bonus).backward()
print("bonus has no entry, but a gradient:", bonus.grad.item())
