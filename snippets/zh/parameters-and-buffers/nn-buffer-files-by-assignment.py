import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(2))
        self.mask = nn.Buffer(torch.ones(2), persistent=False)
        self.cache = torch.zeros(2)


model = Norm()
print("buffers:", [name for name, _ in model.named_buffers()])
print("saved:  ", list(model.state_dict()))
print("type:", type(model.mask).__name__, isinstance(model.mask, nn.Buffer))

model.double()
print("after double(), marked:", isinstance(model.mask, nn.Buffer))
print("after double(), a buffer:", "mask" in dict(model.named_buffers()))

model.mask = torch.zeros(2)
print("a tensor assigned:   ", list(model.state_dict()))
model.mask = nn.Buffer(torch.zeros(2))
print("an nn.Buffer assigned:", list(model.state_dict()))
