import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2))
first, second = net[:2], net[1:]
print("shared layer:", first[1] is second[0])
slow, fast = {"lr": 0.01}, {"lr": 0.1}
try:
    groups = [{"params": part.parameters()} for part in (first, second)]
    torch.optim.SGD([groups[0] | fast, groups[1] | slow])
except ValueError as error:
    print(error)

seen = set(first.parameters())
rest = [parameter for parameter in second.parameters() if parameter not in seen]
groups = [{"params": first.parameters()}, {"params": rest}]
optimizer = torch.optim.SGD([groups[0] | fast, groups[1] | slow])
print("in groups:", [len(group["params"]) for group in optimizer.param_groups])
