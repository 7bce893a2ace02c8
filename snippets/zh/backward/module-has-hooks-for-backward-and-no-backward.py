import torch
from torch import nn

public = [name for name in dir(nn.Module) if not name.startswith("_")]
for name in public:
    if "backward" in name:
        print(name)

classes = [value for value in vars(nn).values() if isinstance(value, type)]
modules = [value for value in classes if issubclass(value, nn.Module)]
print("more than a hundred Modules:", len(modules) > 100)
print("with a backward:", [value for value in modules if hasattr(value, "backward")])
print("a Parameter has one:", hasattr(nn.Parameter, "backward"))
print("because it is a Tensor:", issubclass(nn.Parameter, torch.Tensor))
