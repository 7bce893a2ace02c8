import re
from collections import OrderedDict

import torch
from torch import nn

theirs = nn.ModuleDict(
    {"encoder": nn.ModuleDict({f"layer_{i}": nn.Linear(2, 2) for i in range(2)})}
)
theirs["classifier"] = nn.Linear(2, 3)
ours = nn.Sequential(
    OrderedDict(
        blocks=nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)), head=nn.Linear(2, 3)
    )
)

rules = [(r"^encoder\.layer_(\d+)\.", r"blocks.\1."), (r"^classifier\.", "head.")]


def rename(key):
    for pattern, replacement in rules:
        key = re.sub(pattern, replacement, key)
    return key


state = theirs.state_dict()
renamed = {rename(key): value for key, value in state.items()}
for old, new in zip(state, renamed):
    print(f"{old:25} -> {new}")
assert len(renamed) == len(state), "two keys became one"
print(ours.load_state_dict(renamed))

x = torch.ones(1, 2)
hidden = theirs["encoder"]["layer_1"](theirs["encoder"]["layer_0"](x))
print("same outputs:", torch.equal(theirs["classifier"](hidden), ours(x)))
