import torch
from torch import nn

model = nn.Linear(2, 2)
model.register_buffer("mask", torch.ones(2))
model.register_buffer("steps", torch.tensor(0))
model.mask = model.mask.to(torch.bool)

for cast in (model.half, lambda: model.to(torch.float64)):
    cast()
    print(model.weight.dtype, model.mask.dtype, model.steps.dtype)
print("buffers:", [name for name, _ in model.named_buffers()])
