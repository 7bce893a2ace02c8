import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 4), nn.Sequential(nn.BatchNorm1d(4), nn.Dropout()))
everything_before = {name: dict(vars(module)) for name, module in model.named_modules()}

print("returns itself:", model.eval() is model)

for name, module in model.named_modules():
    before, after = everything_before[name], vars(module)
    changed = [field for field in after if after[field] is not before[field]]
    kind = type(module).__name__
    print(f"{name or 'the root':8} {kind:11} {changed} -> {module.training}")
