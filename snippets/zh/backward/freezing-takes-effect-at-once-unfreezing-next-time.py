import torch
from torch import nn

first, second = nn.Linear(1, 1), nn.Linear(1, 1).requires_grad_(False)
loss = second(first(torch.ones(1, 1))).sum()

first.requires_grad_(False)
second.requires_grad_(True)
loss.backward()
print("frozen late:  ", first.weight.grad)
print("unfrozen late:", second.weight.grad)
