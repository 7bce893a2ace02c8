import torch
from torch import nn


class Net(nn.Module):
    head = None
    scale = None

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 3)
        try:
            self.scale = nn.Parameter(torch.ones(1))
        except KeyError as error:
            print("refused:", error.args[0])


net = Net()
print(net.head)
print([name for name, _ in net.named_parameters()])
