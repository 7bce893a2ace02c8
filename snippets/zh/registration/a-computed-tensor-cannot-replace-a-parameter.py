import torch
from torch import nn


class Mix(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(3))

    def forward(self):
        self.mix = torch.softmax(self.mix, 0)
        return self.mix


model = Mix()
try:
    model()
except TypeError as error:
    print("refused as", str(error).partition(" as ")[2])
print("still a", type(model.mix).__name__)
