import torch
from torch import nn


class Cut(nn.Module):
    def __init__(self):
        super().__init__()
        self.below, self.above = nn.Linear(1, 1), nn.Linear(1, 1)

    def forward(self, x):
        return self.above(self.below(x).detach())


net = Cut()
net(torch.ones(1, 1)).backward()
for name, parameter in net.named_parameters():
    print(name, parameter.grad is not None)
