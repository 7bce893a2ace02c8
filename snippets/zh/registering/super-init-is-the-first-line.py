import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.width = 2
        self.fc = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("mask", torch.ones(2))


print(list(Net().state_dict()))
