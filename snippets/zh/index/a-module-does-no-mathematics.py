import torch
from torch import nn

names = "__call__ forward parameters state_dict to __add__ __matmul__ backward"
for name in names.split():
    print(f"{name:12}", hasattr(nn.Module, name))

layer = nn.Linear(3, 2)
x = torch.ones(4, 3)
print("a product and a sum:", torch.allclose(layer(x), x @ layer.weight.T + layer.bias))
