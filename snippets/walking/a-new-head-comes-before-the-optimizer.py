import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 10))
model[1] = nn.Linear(2, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

# where the optimizer is there already: take the old head out and put the new one in
model[1] = nn.Linear(2, 4)
optimizer.param_groups[0]["params"] = list(model[0].parameters())
optimizer.add_param_group({"params": model[1].parameters(), "lr": 0.5})

before = [parameter.detach().clone() for parameter in model.parameters()]
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
for (name, after), old in zip(model.named_parameters(), before, strict=True):
    print(f"{name:8} stepped: {not torch.equal(after, old)}")
