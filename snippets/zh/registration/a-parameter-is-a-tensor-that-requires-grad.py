import torch
from torch import nn

data = torch.zeros(3)
with torch.no_grad():
    weight = nn.Parameter(data)
print("a Tensor:", isinstance(weight, torch.Tensor))
print("requires grad, even here:", weight.requires_grad, " a leaf:", weight.is_leaf)
print("same memory:", weight.data_ptr() == data.data_ptr())
print("result of an operation:", type(weight * 2).__name__)

layer = nn.Module()
layer.parameter = weight
layer.leaf = torch.zeros(3, requires_grad=True)
layer.frozen = nn.Parameter(torch.zeros(3), requires_grad=False)
print([name for name, _ in layer.named_parameters()])
