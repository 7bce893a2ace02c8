import torch
from torch import nn


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.pages = [torch.zeros(2), torch.zeros(2)]

    def _apply(self, fn, recurse=True):
        print("_apply of the cache")
        self.pages = [fn(page) for page in self.pages]
        return super()._apply(fn, recurse)


cache = Cache()
model = nn.Sequential(cache, nn.Linear(2, 2), cache)  # 列出两次，只访问一次
model.half()
print("half():", [page.dtype for page in cache.pages])
model.to(torch.float64)
print("to():  ", [page.dtype for page in cache.pages])
