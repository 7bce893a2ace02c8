import torch
from torch import nn

model = nn.Linear(1, 1, bias=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
model.load_state_dict({"weight": torch.ones(1, 1)}, assign=True)

model(torch.ones(1, 1)).sum().backward()
optimizer.step()
known = optimizer.param_groups[0]["params"][0]
print("the optimizer has the weight:", known is model.weight)
print("after a step:", model.weight.item())
