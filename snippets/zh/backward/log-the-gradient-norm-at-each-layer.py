import torch
from torch import nn

net = nn.Sequential(*[nn.Sigmoid() for _ in range(4)])
norms = {}


def log(name):
    def hook(module, grad_input, grad_output):
        norms[name] = grad_input[0].norm().item()

    return hook


for name, module in net.named_children():
    module.register_full_backward_hook(log(name))

net(torch.zeros(1, 2, requires_grad=True)).sum().backward()
for name, norm in norms.items():
    print(f"through sigmoid {name}: {norm:.4f}")
