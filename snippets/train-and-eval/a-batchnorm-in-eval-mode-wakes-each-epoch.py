import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
norm = model[1].requires_grad_(False).eval()  # at start-up
model(torch.ones(4, 2))
print("batches counted:", norm.num_batches_tracked.item())

model.train()  # at the start of an epoch
model(torch.ones(4, 2))
print("batches counted:", norm.num_batches_tracked.item())
print("any of it trainable:", any(p.requires_grad for p in norm.parameters()))
