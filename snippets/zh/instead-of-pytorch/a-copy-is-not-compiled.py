import copy

import torch
from torch import nn

model = nn.Linear(2, 2)
model.compile(backend="eager")
twin = copy.deepcopy(model)
print(model._compiled_call_impl is None, twin._compiled_call_impl is None)

x = torch.ones(1, 2)
print(torch.equal(model(x), twin(x)))
