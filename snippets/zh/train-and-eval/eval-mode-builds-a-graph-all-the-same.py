import torch
from torch import nn

model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.9)).eval()
x = torch.ones(2, 3)
y = model(x)
print("dropout does nothing:", torch.equal(y, model[0](x)))
print("a graph is kept:", y.requires_grad)
y.sum().backward()
print("gradients:", [p.grad is not None for p in model.parameters()])
