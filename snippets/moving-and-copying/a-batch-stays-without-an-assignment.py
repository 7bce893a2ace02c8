import torch
from torch import nn

model, batch = nn.Linear(2, 1), torch.ones(4, 2)
model.to("meta")  # it plays the GPU
batch.to("meta")
print("model moved:", model.weight.is_meta)
print("batch moved:", batch.is_meta)
