import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model[1] = nn.Linear(2, 3)

before = [parameter.detach().clone() for parameter in model.parameters()]
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
for (name, after), old in zip(model.named_parameters(), before, strict=True):
    print(f"{name:8} stepped: {not torch.equal(after, old)}")
