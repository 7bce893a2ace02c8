import torch
from torch import nn

layer = nn.Linear(2, 1)


def note(parameter):
    print("weight.grad:", parameter.grad.tolist(), "norm", parameter.grad.norm().item())


layer.weight.register_post_accumulate_grad_hook(note)
layer(torch.tensor([[3.0, 4.0]])).sum().backward()
