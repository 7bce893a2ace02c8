import copy

import torch
from torch import nn

ours = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5), nn.Sequential(nn.BatchNorm1d(2)))
theirs = copy.deepcopy(ours)
for model in (ours, theirs):
    model(torch.ones(3, 2)).sum().backward()

for module in ours.modules():
    module.training = False
for parameter in ours.parameters():
    parameter.grad = None
for tensor in [*ours.parameters(), *ours.buffers()]:
    if tensor.is_floating_point():
        tensor.data = tensor.data.double()

theirs.eval()
theirs.zero_grad()
theirs.to(torch.float64)

for model in (ours, theirs):
    dtypes = {str(tensor.dtype) for tensor in model.state_dict().values()}
    print("training", {module.training for module in model.modules()}, end="  ")
    print("grad", {parameter.grad for parameter in model.parameters()}, end="  ")
    print("dtypes", sorted(dtypes))
