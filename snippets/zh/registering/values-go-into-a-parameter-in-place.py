import torch
from torch import nn


class Mix(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        mix = torch.softmax(self.mix, 0)
        return x * mix


net = Mix()
optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
with torch.no_grad():
    net.mix.copy_(torch.tensor([1.0, 1.0]))
print(net(torch.ones(2)).tolist())
print("the optimizer's:", optimizer.param_groups[0]["params"][0] is net.mix)
