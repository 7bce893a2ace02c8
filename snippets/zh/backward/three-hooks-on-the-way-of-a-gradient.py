import torch
from torch import nn

layer = nn.Linear(1, 1, bias=False)
weight = layer.weight
x = torch.tensor([[2.0]], requires_grad=True)


def at_the_tensor(gradient):
    print("Tensor.register_hook:", gradient.item(), "and .grad is still", weight.grad)


def after_accumulation(parameter):
    print("register_post_accumulate_grad_hook: .grad is", parameter.grad.item())


def at_the_module(module, grad_input, grad_output):
    print("register_full_backward_hook: grad_output is", grad_output[0].item())


weight.register_hook(at_the_tensor)
weight.register_post_accumulate_grad_hook(after_accumulation)
layer.register_full_backward_hook(at_the_module)
layer(x).backward()
