import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(2, 2), nn.Linear(2, 1)

    def forward(self, x):
        return self.head(self.body(x))


net, fired = Net(), []
for name, module in net.named_modules():
    module.register_forward_hook(lambda *_, name=name or "net": fired.append(name))

net(torch.ones(1, 2))
print(fired)
