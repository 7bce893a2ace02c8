from itertools import islice

from torch import nn


class Adapted(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base


def adapt(modules):
    for module in modules:
        for name, child in module.named_children():
            if isinstance(child, nn.Linear):
                setattr(module, name, Adapted(child))


net = nn.Sequential(nn.Linear(2, 2))
adapt(islice(net.modules(), 4))
print([name for name, _ in net.named_modules()])

net = nn.Sequential(nn.Linear(2, 2))
adapt(list(net.modules()))
print([name for name, _ in net.named_modules()])
