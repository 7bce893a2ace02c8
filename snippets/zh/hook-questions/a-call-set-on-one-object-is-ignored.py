import torch
from torch import nn

layer = nn.Identity()
layer.__call__ = lambda x: x + 100
print(layer(torch.tensor(1)).item())
print(layer.__call__(torch.tensor(1)).item())
