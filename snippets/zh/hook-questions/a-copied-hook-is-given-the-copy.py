import copy

import torch
from torch import nn

model = nn.Module()
model.register_buffer("table", torch.zeros(2))


def make_room(module, state_dict, prefix, *rest):
    module.table = torch.zeros_like(state_dict[prefix + "table"])


model.register_load_state_dict_pre_hook(make_room)
twin = copy.deepcopy(model)
print(twin.load_state_dict({"table": torch.ones(4)}))
print("the copy's:    ", twin.table.tolist())
print("the original's:", model.table.tolist())
