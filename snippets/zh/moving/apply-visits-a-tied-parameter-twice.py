import torch
from torch import nn

first, second = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
second.weight = first.weight
nn.init.ones_(first.weight)

model = nn.Sequential(first, second)
model._apply(lambda tensor: tensor * 2)
print("two layers:", first.weight.item(), first.weight is second.weight)

again = nn.Sequential(first, first)
again._apply(lambda tensor: tensor * 2)
print("one layer, listed twice:", first.weight.item())
