import torch
from torch import nn


class Net(nn.Module):
    head: nn.Linear

    def __init__(self):
        super().__init__()
        self.pool = None
        self.head = nn.Linear(2, 3)
        self.pool = nn.Flatten()

    def forward(self, x):
        return self.head(self.pool(x))


print(Net()(torch.ones(1, 2)).shape)
