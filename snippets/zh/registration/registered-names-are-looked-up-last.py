import torch
from torch import nn

layer = nn.Linear(2, 3)
print("in_features in __dict__:", "in_features" in vars(layer))
print("weight in __dict__:     ", "weight" in vars(layer))
print("weight in _parameters:  ", layer.weight is layer._parameters["weight"])

layer._parameters["weight"] = nn.Parameter(torch.zeros(3, 2))
print("zeros:", layer.weight.eq(0).all().item())

vars(layer)["weight"] = "a string in the way"
print("you see:  ", layer.weight)
print("they see: ", [name for name, _ in layer.named_parameters()])
