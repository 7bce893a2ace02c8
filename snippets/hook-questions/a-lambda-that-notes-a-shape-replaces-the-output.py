import torch
from torch import nn

model, shapes = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)), {}
model[0].register_forward_hook(
    lambda module, args, output: shapes.setdefault("first", output.shape)
)
try:
    model(torch.ones(1, 2))
except TypeError as error:
    print(f"{type(error).__name__}: {error}")
