import torch
from torch import nn

model = nn.BatchNorm1d(2)
model(torch.randn(4, 2)).pow(2).sum().backward()
weight, gradient, mean = model.weight, model.weight.grad, model.running_mean

model.to(torch.float64)
print("weight:      ", model.weight is weight, weight.dtype)
print("weight.grad: ", model.weight.grad is gradient, gradient.dtype)
print("running_mean:", model.running_mean is mean, mean.dtype)
