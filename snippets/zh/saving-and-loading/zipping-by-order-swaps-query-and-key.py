from collections import OrderedDict

import torch
from torch import nn

theirs = nn.Sequential(
    OrderedDict(query=nn.Linear(1, 1, bias=False), key=nn.Linear(1, 1, bias=False))
)
ours = nn.Sequential(
    OrderedDict(k=nn.Linear(1, 1, bias=False), q=nn.Linear(1, 1, bias=False))
)
nn.init.constant_(theirs.query.weight, 1.0)
nn.init.constant_(theirs.key.weight, 2.0)

with torch.no_grad():
    for mine, yours in zip(
        ours.state_dict().values(), theirs.state_dict().values(), strict=True
    ):
        mine.copy_(yours)
print("query:", theirs.query.weight.item(), "->", ours.q.weight.item())
print("key:  ", theirs.key.weight.item(), "->", ours.k.weight.item())
