import sys

import torch
from torch import nn

file = sys.modules["torch.nn.modules.module"]
print(nn.Module is file.Module, nn.Module.__module__)

classes = [value for value in vars(nn).values() if isinstance(value, type)]
layers = [value for value in classes if issubclass(value, nn.Module)]
print("more than 100 layers on it:", len(layers) > 100)
loaded = [vars(module) for module in list(sys.modules.values())]
holders = [names for names in loaded if names.get("Module") is nn.Module]
print("more than 20 files that hold it:", len(holders) > 20)
print(nn.Linear.__mro__[1] is file.Module, torch.optim.Adam.__mro__[-2].__name__)
