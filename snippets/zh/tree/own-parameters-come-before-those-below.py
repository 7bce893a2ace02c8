import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2, bias=False)
        self.out = nn.Linear(2, 1, bias=False)
        self.scale = nn.Parameter(torch.ones(1))


net = Net()
print([name for name, _ in net.named_parameters()])

net.fc = nn.Linear(2, 2)
print([name for name, _ in net.named_parameters()])

del net.fc
net.fc = nn.Linear(2, 2)
print([name for name, _ in net.named_parameters()])
