import torch
from torch import nn


class Net(nn.Module):
    def encode(self, x):
        return "the method"


net = Net()
net.encode = nn.Linear(2, 2)
print("filed: ", [name for name, _ in net.named_children()])
print("called:", net.encode(torch.ones(2)))

try:
    net.add_module("forward", nn.Linear(2, 2))
except KeyError as error:
    print(f"{type(error).__name__}: {error}")
net.forward = nn.Linear(2, 2)
try:
    net(torch.ones(2))
except NotImplementedError as error:
    print(f"{type(error).__name__}: {error}")
