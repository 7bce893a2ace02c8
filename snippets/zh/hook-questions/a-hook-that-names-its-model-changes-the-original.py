import copy

import torch
from torch import nn

model = nn.Module()
model.register_buffer("table", torch.zeros(2))


def make_room(module, state_dict, prefix, *rest):
    model.table = torch.zeros_like(state_dict[prefix + "table"])


model.register_load_state_dict_pre_hook(make_room)
twin = copy.deepcopy(model)
try:
    twin.load_state_dict({"table": torch.ones(4)})
except RuntimeError as error:
    print(f"{type(error).__name__}: {error}".expandtabs(4))
print("the original's:", model.table.tolist())
