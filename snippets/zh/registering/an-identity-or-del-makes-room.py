import torch.nn.functional as F
from torch import nn

net = nn.Module()
net.act = nn.ReLU()
net.norm = nn.LayerNorm(2)

net.norm = nn.Identity()
del net.act
net.act = F.relu
print(net)
print("plain:", "act" in vars(net))
