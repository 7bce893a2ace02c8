import torch
from torch import nn

here, there = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
there.weight = here.weight
model, x = nn.Sequential(here, there), torch.ones(1, 1)
values = {"0.weight": torch.tensor([[5.0]]), "1.weight": torch.tensor([[7.0]])}
try:
    torch.func.functional_call(model, values, (x,))
except ValueError as error:
    print(f"{type(error).__name__}: {error}")
