import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.register_buffer("mask", torch.ones(2, dtype=torch.bool))
        self.register_buffer("steps", torch.tensor(0))


def dtypes(model):
    return [
        str(tensor.dtype).removeprefix("torch.")
        for tensor in model.state_dict().values()
    ]


print("as built:    ", dtypes(Net()))
print("half():      ", dtypes(Net().half()))
print("to(bfloat16):", dtypes(Net().to(torch.bfloat16)))
print("to(a tensor):", dtypes(Net().to(torch.ones(1, dtype=torch.float64))))
print("type(float): ", dtypes(Net().type(torch.float32)))
try:
    Net().to(torch.int64)
except TypeError as error:
    print("to(int64):   ", str(error).split(", but")[0])
