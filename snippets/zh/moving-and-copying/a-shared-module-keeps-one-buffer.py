import torch
from torch import nn


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("values", torch.zeros(2))


class Layer(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.table = table


table = Table()
model = nn.Sequential(Layer(table), Layer(table))
model.double()
model[0].table.values += 1
print("buffers after double():", len(list(model.buffers())))
print("seen by the other layer:", model[1].table.values.tolist())
