import torch
from torch import nn

wte, norm, head = nn.Embedding(5, 4), nn.LayerNorm(4), nn.Linear(4, 5, bias=False)
head.weight = wte.weight
model = nn.ModuleDict({"wte": wte, "norm": norm, "head": head})

matrices = [p for p in model.parameters() if p.dim() >= 2]
vectors = [p for p in model.parameters() if p.dim() < 2]
groups = [
    {"params": matrices, "weight_decay": 0.1},
    {"params": vectors, "weight_decay": 0.0},
]
optimizer = torch.optim.AdamW(groups, lr=1e-3)
print([len(group["params"]) for group in optimizer.param_groups])
every = model.named_parameters(remove_duplicate=False)
print("every name of it:", [name for name, p in every if p is wte.weight])
