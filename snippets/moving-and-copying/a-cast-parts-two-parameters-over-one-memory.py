import torch
from torch import nn

wte, head = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
head.weight.data = wte.weight.data
model = nn.ModuleList([wte, head])
print("parameters:", len(list(model.parameters())))
print("one memory:", head.weight.data_ptr() == wte.weight.data_ptr())
model.double()
print("after double():", head.weight.data_ptr() == wte.weight.data_ptr())
