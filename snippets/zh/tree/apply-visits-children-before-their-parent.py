import torch
from torch import nn


def init_weights(module):
    visited.append(type(module).__name__)
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, mean=0.0, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)


visited = []
torch.manual_seed(0)
block = nn.Sequential(nn.Linear(40, 40), nn.LayerNorm(40))
model = nn.Sequential(nn.Embedding(50, 40), block)
model.apply(init_weights)
print(visited)
print("std of the embedding:", round(model[0].weight.std().item(), 2))
print("bias of the layer:", model[1][0].bias.abs().sum().item())
