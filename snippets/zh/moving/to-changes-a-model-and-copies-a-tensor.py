import torch
from torch import nn

model, batch = nn.Linear(1, 1), torch.ones(1, 1)
same = model.to(torch.float64)
other = batch.to(torch.float64)
print("the model:", model.weight.dtype, "| returned itself:", same is model)
print("the batch:", batch.dtype, "| returned itself:", other is batch)
print("a tensor that is there already:", batch.to(torch.float32) is batch)
