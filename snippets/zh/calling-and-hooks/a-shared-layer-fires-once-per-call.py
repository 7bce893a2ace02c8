import torch
from torch import nn

shared = nn.Linear(2, 2)
net = nn.Sequential(shared, nn.ReLU(), shared)
seen = []

for name, module in net.named_modules():
    module.register_forward_hook(lambda *_, name=name: seen.append(name))
net(torch.ones(1, 2))
print(seen)
