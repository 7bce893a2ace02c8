import torch
from torch import nn

model = nn.Linear(1, 1, bias=False)
model.load_state_dict({"weight": torch.ones(1, 1)}, assign=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

model(torch.ones(1, 1)).sum().backward()
optimizer.step()
print("after a step:", model.weight.item())
