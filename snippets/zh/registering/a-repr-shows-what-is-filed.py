import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(2, 1)
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.out(F.relu(self.fc(x)))


print(Net())
try:
    nn.Sequential(nn.Linear(2, 2), F.relu)
except TypeError as error:
    print(f"{type(error).__name__}: {error}")
