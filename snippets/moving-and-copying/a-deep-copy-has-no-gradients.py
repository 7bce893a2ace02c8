import copy

import torch
from torch import nn

model = nn.Linear(2, 1)
model(torch.ones(1, 2)).sum().backward()
model.eval()

twin = copy.deepcopy(model)
print("values:  ", torch.equal(twin.weight, model.weight))
print("mode:    ", twin.training, "as", model.training)
print("gradient:", twin.weight.grad, "instead of", model.weight.grad.tolist())
