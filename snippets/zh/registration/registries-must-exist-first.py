import torch
from torch import nn


def attempt(assign):
    class Early(nn.Module):
        def __init__(self):
            assign(self)
            super().__init__()

    try:
        return f"fine: {[name for name in vars(Early()) if not name.startswith('_')]}"
    except AttributeError as error:
        return error


print(attempt(lambda self: setattr(self, "weight", nn.Parameter(torch.zeros(1)))))
print(attempt(lambda self: setattr(self, "layer", nn.Linear(1, 1))))
print(attempt(lambda self: self.register_buffer("mask", torch.zeros(1))))
print(attempt(lambda self: setattr(self, "width", 64)))
