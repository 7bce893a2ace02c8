import copy

import torch
from torch import nn

model = nn.Linear(2, 1)
model(torch.ones(1, 2)).sum().backward()

twin = copy.deepcopy(model)
for old, new in zip(model.parameters(), twin.parameters(), strict=True):
    new.grad = None if old.grad is None else old.grad.clone()
print("gradient:", twin.weight.grad.tolist())
twin.zero_grad()
print("the model's own:", model.weight.grad.tolist())
