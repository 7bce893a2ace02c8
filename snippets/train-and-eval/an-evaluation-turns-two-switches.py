import torch
from torch import nn

model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.9))
x = torch.ones(2, 3)
model.eval()
with torch.no_grad():
    y = model(x)
    print("dropout does nothing:", torch.equal(y, model[0](x)))
print("a graph is kept:", y.requires_grad)
model.train()
print("still trainable:", all(p.requires_grad for p in model.parameters()))
