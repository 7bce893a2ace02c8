import torch
from torch import nn

net = nn.Module()
net.layers = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
path = "layers.0.weight"
print("listed:", path in dict(net.named_parameters()))
try:
    getattr(net, path)
except AttributeError as error:
    print(f"{type(error).__name__}: {error}")

setattr(net, "layers.1", nn.GELU())
print(net)
