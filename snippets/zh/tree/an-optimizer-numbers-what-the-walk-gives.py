import torch
from torch import nn


def build(*names):
    net = nn.Module()
    for name in names:
        net.register_parameter(name, nn.Parameter(torch.zeros(2)))
    return net, torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)


net, optimizer = build("a", "b")
(net.a.sum() + 5 * net.b.sum()).backward()
optimizer.step()

swapped, resumed = build("b", "a")
swapped.load_state_dict(net.state_dict())
resumed.load_state_dict(optimizer.state_dict())
for name in ("a", "b"):
    before = optimizer.state[net.get_parameter(name)]["momentum_buffer"].tolist()
    after = resumed.state[swapped.get_parameter(name)]["momentum_buffer"].tolist()
    print(name, before, "->", after)
