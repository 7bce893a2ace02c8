import inspect

import torch
from torch import nn

print(inspect.signature(nn.Module.to))
layer = nn.Linear(2, 2)
print(layer.to(torch.float64).weight.dtype, layer.to(torch.ones(1)).weight.dtype)
try:
    layer.to(torch.float64, torch.float32)
except TypeError as error:
    print(str(error).split(" - ")[0])
