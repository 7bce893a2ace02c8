import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.weight = nn.Parameter(torch.ones(size))

    def __eq__(self, other):
        return self.size == other.size


class Hashed(Scale):
    def __hash__(self):
        return hash(self.size)


try:
    print(list(Scale(2).parameters()))
except TypeError as error:
    reason = str(error)  # Python 3.14 的消息前后还有别的字
    print(f"TypeError: {reason[reason.index('unhashable') :].rstrip(')')}")

net = nn.Sequential(Hashed(2), Hashed(2))
print("to train:", [name for name, _ in net.named_parameters()])
print("to save: ", list(net.state_dict()))
