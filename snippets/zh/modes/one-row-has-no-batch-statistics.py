import torch
from torch import nn

norm = nn.BatchNorm1d(2)
row = torch.zeros(1, 2)
try:
    norm(row)
except ValueError as error:
    print("train:", str(error).split(",")[0])
print("eval:", tuple(norm.eval()(row).shape))
