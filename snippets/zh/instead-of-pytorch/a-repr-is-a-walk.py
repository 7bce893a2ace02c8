import torch
from torch import nn


def show(module):
    lines = module.extra_repr().splitlines()
    if len(lines) == 1 and not module._modules:
        return f"{type(module).__name__}({lines[0]})"
    for name, child in module._modules.items():
        lines.append(f"({name}): {show(child)}")
    body = "".join("\n" + line for line in lines).replace("\n", "\n  ")
    return f"{type(module).__name__}({body}" + ("\n)" if lines else ")")


model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Dropout(0.1)))
print(show(model))
print(show(model) == repr(model))
layer = nn.TransformerEncoderLayer(d_model=4, nhead=2)
print(show(layer) == repr(layer))
