import torch
from torch import nn

model = nn.Linear(2, 2)
model.register_buffer("mask", torch.ones(2, 2, dtype=torch.bool))
model.register_buffer("ones", torch.ones(2, 2))
model.half()
print(model.weight.dtype, model.mask.dtype, model.ones.dtype)
