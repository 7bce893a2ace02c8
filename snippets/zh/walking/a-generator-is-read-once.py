import torch
from torch import nn

net = nn.Linear(2, 3)
parameters = net.parameters()
try:
    len(parameters)
except TypeError as error:
    print(f"{type(error).__name__}: {error}")

print("numbers:", sum(parameter.numel() for parameter in parameters))
try:
    torch.optim.SGD(parameters, lr=0.1)
except ValueError as error:
    print(f"{type(error).__name__}: {error}")
print("numbers:", sum(parameter.numel() for parameter in parameters))
