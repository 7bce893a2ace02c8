import torch
from torch import nn

model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
x = torch.ones(2, 3)


def ask(label):
    y = model(x)
    dropping = not torch.equal(y, model[0](x))
    graph = y.requires_grad
    frozen = not model[0].weight.requires_grad
    print(f"{label:22} dropping={dropping!s:5} graph={graph!s:5} frozen={frozen}")


torch.manual_seed(0)
ask("as built")
model.eval()
ask("eval()")
model.train()
with torch.no_grad():
    ask("no_grad()")
model.requires_grad_(False)
ask("requires_grad_(False)")
