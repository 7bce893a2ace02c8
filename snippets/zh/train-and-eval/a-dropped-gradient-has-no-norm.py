import torch
from torch import nn

model = nn.Linear(1, 1)
model(torch.ones(1, 1)).backward()
model.zero_grad()
try:
    print(sum(parameter.grad.norm() for parameter in model.parameters()))
except AttributeError as error:
    print(f"{type(error).__name__}: {error}")
