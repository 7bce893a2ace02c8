import torch
from torch import nn

wte, head = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
head.weight = wte.weight
model = nn.ModuleList([wte, head])
print("parameters:", len(list(model.parameters())))
model.double()
print("after double():", head.weight is wte.weight)
