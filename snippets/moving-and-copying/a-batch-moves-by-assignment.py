import torch
from torch import nn

model, batch = nn.Linear(2, 1), torch.ones(4, 2)
model.to("meta")
batch = batch.to("meta")
print("batch moved:", batch.is_meta)
print("output:", tuple(model(batch).shape))
