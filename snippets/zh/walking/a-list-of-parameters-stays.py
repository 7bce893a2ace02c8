import torch
from torch import nn

net = nn.Linear(2, 3)
parameters = list(net.parameters())
print(len(parameters), "tensors,", sum(p.numel() for p in parameters), "numbers")
optimizer = torch.optim.SGD(parameters, lr=0.1)
print("in the optimizer:", len(optimizer.param_groups[0]["params"]))
print("by path:", net.get_parameter("bias") is parameters[1])
