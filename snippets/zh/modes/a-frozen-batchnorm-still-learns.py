import torch
from torch import nn

backbone = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
backbone.requires_grad_(False)
norm = backbone[1]

backbone(torch.randn(8, 2))
print("anything to train:", any(p.requires_grad for p in backbone.parameters()))
print("running_mean untouched:", torch.equal(norm.running_mean, torch.zeros(2)))
print("batches counted:", norm.num_batches_tracked.item())

norm.eval()
backbone(torch.randn(8, 2))
print("batches counted after eval:", norm.num_batches_tracked.item())
