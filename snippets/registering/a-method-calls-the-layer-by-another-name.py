import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(2, 3)

    def encode(self, x):
        return self.encoder(x)

    def forward(self, x):
        return self.encode(x)


print(Net()(torch.ones(1, 2)).shape)
