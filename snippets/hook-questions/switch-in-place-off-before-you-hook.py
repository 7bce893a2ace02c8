import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
for module in model.modules():
    if hasattr(module, "inplace"):
        module.inplace = False

model[0].register_full_backward_hook(lambda *_: print("hook"))
model(torch.ones(1, 2, requires_grad=True)).sum().backward()
