import torch
from torch import nn

head = nn.Linear(2, 3, bias=False)
model = nn.ModuleDict({"wte": nn.Embedding(3, 2), "lm_head": head})
model["lm_head"].weight = model["wte"].weight
state = {"wte.weight": torch.ones(3, 2), "lm_head.weight": torch.zeros(3, 2)}
print(model.load_state_dict(state))
print(model["wte"].weight[0].tolist())
