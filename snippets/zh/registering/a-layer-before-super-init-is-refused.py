import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, assign):
        self.width = 2
        assign(self)
        super().__init__()


for assign in (
    lambda self: setattr(self, "fc", nn.Linear(2, 2)),
    lambda self: setattr(self, "scale", nn.Parameter(torch.ones(1))),
    lambda self: self.register_parameter("scale", None),
    lambda self: self.register_buffer("mask", torch.ones(2)),
):
    try:
        Net(assign)
    except AttributeError as error:
        print(f"{type(error).__name__}: {error}")
