import torch
from torch import nn


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.pages = [torch.zeros(2), torch.zeros(2)]

    def half(self):
        print("half() of the cache")
        self.pages = [page.half() for page in self.pages]
        return super().half()


model = nn.Sequential(nn.Linear(2, 2), Cache())
model.half()
print("as a child:", [page.dtype for page in model[1].pages])
model[1].half()
print("by itself: ", [page.dtype for page in model[1].pages])
