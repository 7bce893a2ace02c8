import torch
from torch import nn

layer = nn.Linear(2, 2)
layer.bias = None
print("registry:", list(layer._parameters), " state_dict:", list(layer.state_dict()))
try:
    layer.bias = torch.zeros(2)
except TypeError:
    print("the slot still wants a Parameter")

del layer.bias
print("registry:", list(layer._parameters), " attribute:", hasattr(layer, "bias"))
layer.bias = torch.zeros(2)
print("registry:", list(layer._parameters), " plain:", "bias" in vars(layer))

model = nn.Module()
model.gen = None
model.gen = nn.Linear(1, 1)
print("children:", [name for name, _ in model.named_children()])
