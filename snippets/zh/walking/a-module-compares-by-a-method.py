import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.weight = nn.Parameter(torch.ones(size))

    def same_size(self, other):
        return self.size == other.size


net = nn.Sequential(Scale(2), Scale(2))
print("equal:", net[0].same_size(net[1]))
print("to train:", [name for name, _ in net.named_parameters()])
