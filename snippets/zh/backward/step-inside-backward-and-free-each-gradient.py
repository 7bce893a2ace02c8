import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 1))
before = [p.detach().clone() for p in net.parameters()]
optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in net.parameters()}
order, alive = [], []
layer_of = {p: name[0] for name, p in net.named_parameters()}


def step(parameter):
    alive.append(sum(p.grad is not None for p in net.parameters()))
    optimizers[parameter].step()
    parameter.grad = None
    order.append(layer_of[parameter])


for parameter in net.parameters():
    parameter.register_post_accumulate_grad_hook(step)

net(torch.randn(8, 4)).square().mean().backward()
print("layers, in the order of their steps:", order)
print("gradients alive at once, at most:", max(alive))
moved = [not torch.equal(old, new) for old, new in zip(before, net.parameters())]
print("all moved:", all(moved))
