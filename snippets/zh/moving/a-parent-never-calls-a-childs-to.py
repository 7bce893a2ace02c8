import torch
from torch import nn


class OverridesTo(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = torch.zeros(2)

    def to(self, *args, **kwargs):
        self.cache = self.cache.to(*args, **kwargs)
        return super().to(*args, **kwargs)


class OverridesApply(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = torch.zeros(2)

    def _apply(self, fn, recurse=True):
        self.cache = fn(self.cache)
        return super()._apply(fn, recurse)


for kind in (OverridesTo, OverridesApply):
    alone, inside = kind(), nn.Sequential(kind())
    alone.to(torch.float64), inside.to(torch.float64)
    print(kind.__name__)
    print("  to(), alone:     ", alone.cache.dtype)
    print("  to(), as a child:", inside[0].cache.dtype)
    print("  double(), alone: ", kind().double().cache.dtype)
