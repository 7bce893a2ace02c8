import torch
from torch import nn


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("stats", None)

    def forward(self, x):
        self.stats = x.detach().mean(0)
        return x - self.stats


used, fresh = Lazy(), Lazy()
used(torch.ones(2, 3))
print("used:", list(used.state_dict()), "fresh:", list(fresh.state_dict()))
try:
    fresh.load_state_dict(used.state_dict())
except RuntimeError as error:
    print(str(error).split("\n")[1].strip())

fresh.stats = torch.empty(3)
print(fresh.load_state_dict(used.state_dict()), fresh.stats.tolist())
