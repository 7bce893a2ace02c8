import copy

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        weights = self.linear(x).softmax(-1)
        self.last = weights.detach()
        return weights


model = Attention()
model(torch.ones(1, 2))
twin = copy.deepcopy(model)
print("copied:", torch.equal(twin.last, model.last))
