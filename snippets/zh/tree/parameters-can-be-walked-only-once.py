import torch
from torch import nn

net = nn.Linear(2, 2)
parameters = net.parameters()
print("total:", sum(parameter.numel() for parameter in parameters))
try:
    torch.optim.SGD(parameters, lr=0.1)
except ValueError as error:
    print(error)

names = net.named_parameters()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net.scale = nn.Parameter(torch.ones(1))
print("walked:   ", [name for name, _ in names])
print("optimized:", len(optimizer.param_groups[0]["params"]))
