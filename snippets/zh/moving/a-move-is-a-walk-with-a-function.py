import torch
from torch import nn


def move(module, function):
    for child in module._modules.values():
        move(child, function)
    for parameter in module._parameters.values():
        if parameter is not None:
            parameter.data = function(parameter.data)
            if parameter.grad is not None:
                parameter.grad.data = function(parameter.grad.data)
    for name, buffer in module._buffers.items():
        if buffer is not None:
            module._buffers[name] = function(buffer)
    return module


def to_double(tensor):
    return tensor.double() if tensor.is_floating_point() else tensor


model = move(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), to_double)
for name, tensor in model.state_dict().items():
    print(f"{name:24} {tensor.dtype}")
print("output:", model(torch.ones(4, 2, dtype=torch.float64)).dtype)
