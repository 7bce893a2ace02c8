import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.shifts = nn.ParameterList([torch.zeros(2), torch.ones(2)])
        self.sizes = nn.ParameterDict({"wide": torch.ones(2), "depth": 3})


net = Net()
print("trained:", [name for name, p in net.named_parameters() if p.requires_grad])
print("saved:  ", list(net.state_dict()))
print("depth:  ", net.sizes["depth"])
