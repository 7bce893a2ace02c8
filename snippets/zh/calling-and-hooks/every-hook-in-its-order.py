import torch
from torch import nn
from torch.nn.modules import module as everywhere


class Layer(nn.Module):
    def forward(self, x):
        print("  forward")
        return x * 2


def says(text):
    return lambda *_: print(text)


layer = Layer()
handles = [
    layer.register_forward_hook(says("  forward hook")),
    layer.register_forward_pre_hook(says("  pre-hook")),
    layer.register_forward_pre_hook(says("  pre-hook, prepend=True"), prepend=True),
    layer.register_full_backward_hook(says("  backward hook")),
    layer.register_full_backward_pre_hook(says("  backward pre-hook")),
    everywhere.register_module_forward_pre_hook(says("global pre-hook")),
    everywhere.register_module_forward_hook(says("global forward hook")),
    everywhere.register_module_full_backward_pre_hook(says("global backward pre-hook")),
    everywhere.register_module_full_backward_hook(says("global backward hook")),
]
y = layer(torch.ones(1, requires_grad=True))
print("the call has returned")
y.backward()
for handle in handles:
    handle.remove()
