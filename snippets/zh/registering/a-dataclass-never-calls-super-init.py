from dataclasses import dataclass

from torch import nn


@dataclass
class Block(nn.Module):
    size: int
    fc: nn.Linear


try:
    Block(size=2, fc=nn.Linear(2, 2))
except AttributeError as error:
    print(f"{type(error).__name__}: {error}")
