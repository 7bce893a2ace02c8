import torch
from torch import nn

net = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
seen = []
for name, module in net.named_modules():
    module.register_forward_hook(lambda *_, name=name or "net": seen.append(name))

x = torch.ones(1, 1)
net(x)
print("net(x)        ", seen)

seen.clear()
net.forward(x)
print("net.forward(x)", seen)
print("same result   ", torch.equal(net(x), net.forward(x)))
