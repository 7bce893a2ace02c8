import torch
from torch import nn

model = nn.ModuleDict({"used": nn.Linear(1, 1), "unused": nn.Linear(1, 1)})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    model["used"](torch.ones(1, 1)).backward()
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    print(len(gradients), "gradients:", [g.norm().item() for g in gradients])
    optimizer.step()
    optimizer.zero_grad()
