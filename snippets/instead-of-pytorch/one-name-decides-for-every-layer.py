import sys

import torch
from torch import nn

file = sys.modules["torch.nn.modules.module"]
print(nn.Module is file.Module, nn.Module.__module__)

layers = [value for value in vars(nn).values() if isinstance(value, type) and issubclass(value, nn.Module)]
print("layers on it:", len(layers) > 100)
holders = [name for name, module in list(sys.modules.items()) if vars(module).get("Module") is nn.Module]
print("files that hold it by name:", len(holders) > 20)
print(nn.Linear.__mro__[1] is file.Module, torch.optim.Adam.__mro__[-2].__name__)
