import torch
from torch import nn

here = torch.get_default_device()
with torch.device("meta"):
    model = nn.Linear(1, 1)
early = torch.optim.SGD(model.parameters(), lr=0.5)
weight = model.weight

model.to_empty(device=here)
nn.init.ones_(model.weight)
nn.init.zeros_(model.bias)
late = torch.optim.SGD(model.parameters(), lr=0.5)
print("the same Parameter:", model.weight is weight)

model(torch.ones(1, 1)).sum().backward()
early.step()
print("after the early optimizer's step:", model.weight.item())
late.step()
print("after the late optimizer's step: ", model.weight.item())
