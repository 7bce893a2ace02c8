import torch
from torch import nn

steps = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
try:
    steps(torch.ones(1, 2))
except NotImplementedError as error:
    print(f"{type(error).__name__}: {error}")
