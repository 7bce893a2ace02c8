import torch
from torch import nn

norm = nn.BatchNorm1d(1)
with torch.no_grad():
    norm(torch.tensor([[1.0], [3.0]]))
print(round(norm.running_mean.item(), 3), norm.num_batches_tracked.item())
