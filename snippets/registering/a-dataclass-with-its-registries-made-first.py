from dataclasses import dataclass

from torch import nn


@dataclass(eq=False, repr=False)
class Block(nn.Module):
    size: int
    fc: nn.Linear

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls)
        nn.Module.__init__(self)
        return self


block = Block(size=2, fc=nn.Linear(2, 2))
print(block)
print(block.size, [name for name, _ in block.named_parameters()])
