import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = [nn.Linear(4, 4), nn.Linear(4, 4)]
        self.bank = {"a": nn.Parameter(torch.ones(4))}
        self.kept = nn.ModuleList([nn.Linear(4, 4, bias=False)])


net = Net().double()
print("found:", [name for name, _ in net.named_parameters()])
print("saved:", list(net.state_dict()))
print("moved:", net.kept[0].weight.dtype)
print("not:  ", net.steps[0].weight.dtype, net.bank["a"].dtype)

net.steps = nn.ModuleList(net.steps)
net.bank = nn.ParameterDict(net.bank)
print("found:", len(list(net.parameters())))
