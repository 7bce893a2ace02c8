import copy

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        self.last = self.linear(x).softmax(-1)
        return self.last


model = Attention()
copy.deepcopy(model)  # before the first call: fine
model(torch.ones(1, 2))
try:
    copy.deepcopy(model)
except RuntimeError as error:
    print(f"{type(error).__name__}: {error}")
