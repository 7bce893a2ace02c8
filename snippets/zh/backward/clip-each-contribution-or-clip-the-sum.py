import torch
from torch import nn


def accumulate(register):
    layer = nn.Linear(1, 1, bias=False)
    register(layer)
    for value in (3.0, -2.0, 0.5):  # 三个 micro-batch
        layer(torch.tensor([[value]])).backward()
    return layer


def each(layer):
    layer.weight.register_hook(lambda gradient: gradient.clamp(-1, 1))


def total(layer):
    def clip(parameter):
        parameter.grad.clamp_(-1, 1)  # 这个钩子必须返回 None

    layer.weight.register_post_accumulate_grad_hook(clip)


print("no clipping:       ", accumulate(lambda layer: None).weight.grad.item())
print("each contribution: ", accumulate(each).weight.grad.item())
print("the running total: ", accumulate(total).weight.grad.item())

layer = accumulate(lambda layer: None)
nn.utils.clip_grad_norm_(layer.parameters(), max_norm=1.0)
print("once, at the end:  ", round(layer.weight.grad.item(), 3))
