import torch
import torch.nn.functional as F
from torch import nn

net = nn.Module()
net.act = nn.ReLU()
net.norm = nn.LayerNorm(2)
for value in (F.relu, 7):
    try:
        net.act = value
    except TypeError as error:
        print(f"{type(error).__name__}: {error}")

net.norm = None
print(net)
try:
    net.norm = torch.ones(2)
except TypeError as error:
    # 在 GPU 上是 'torch.cuda.FloatTensor'
    print(f"{type(error).__name__}: {error}".replace("cuda.", ""))
