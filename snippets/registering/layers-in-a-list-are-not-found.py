import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = [nn.Linear(2, 2), nn.Linear(2, 2)]
        self.out = nn.Linear(2, 1)

    def forward(self, x):
        for step in self.steps:
            x = step(x)
        return self.out(x)


net = Net()
net(torch.ones(1, 2)).sum().backward()
print("has a gradient:", net.steps[0].weight.grad is not None)
print("to train:", [name for name, _ in net.named_parameters()])
print("to save: ", list(net.state_dict()))
