import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
norm = model[1].requires_grad_(False).eval()  # 程序启动时
model(torch.ones(4, 2))
print("batches counted:", norm.num_batches_tracked.item())

model.train()  # 一个 epoch 开始时
model(torch.ones(4, 2))
print("batches counted:", norm.num_batches_tracked.item())
print("any of it trainable:", any(p.requires_grad for p in norm.parameters()))
