import torch
from torch import nn
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present

trained = nn.Sequential(nn.Linear(1, 1))
checkpoint = torch.compile(trained).state_dict()
consume_prefix_in_state_dict_if_present(checkpoint, "_orig_mod.")

model = nn.Sequential(nn.Linear(1, 1))
print(model.load_state_dict(checkpoint))
print("saved from inside:", list(trained.state_dict()))
