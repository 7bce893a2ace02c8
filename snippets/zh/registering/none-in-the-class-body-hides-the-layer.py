import torch
from torch import nn


class Net(nn.Module):
    head = None

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 3)

    def forward(self, x):
        return self.head(x)


net = Net()
print("filed:", [name for name, _ in net.named_parameters()])
print("read: ", net.head)
try:
    net(torch.ones(2))
except TypeError as error:
    print(f"{type(error).__name__}: {error}")
