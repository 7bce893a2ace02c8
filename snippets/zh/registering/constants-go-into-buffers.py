import torch
from torch import nn


class Constants(nn.Module):
    def __init__(self, tensors):
        super().__init__()
        for index, tensor in enumerate(tensors):
            self.register_buffer(str(index), tensor)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.shifts = Constants([torch.zeros(2), torch.ones(2)])
        self.depth = 3


net = Net()
print("trained:", list(net.parameters()))
print("saved:  ", list(net.state_dict()))
