import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.register_buffer("table", table)


table = torch.zeros(2)
model = nn.Sequential(Layer(table), Layer(table))
print("buffers:", len(list(model.buffers())))
model.double()
print("buffers after double():", len(list(model.buffers())))
print("the tensor that you kept:", table.dtype)
