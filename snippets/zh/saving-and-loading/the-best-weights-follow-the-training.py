import copy

import torch
from torch import nn

model = nn.Linear(1, 1, bias=False)
best_loss, kept = float("inf"), {}
epochs = ((3.0, 0.9), (1.0, 0.2), (2.0, 0.5))  # 第二轮最好
for weight, validation_loss in epochs:
    nn.init.constant_(model.weight, weight)
    if validation_loss < best_loss:
        best_loss = validation_loss
        kept["state_dict()"] = model.state_dict()
        kept["dict copy"] = dict(model.state_dict())
        kept["clones"] = {k: tensor.clone() for k, tensor in model.state_dict().items()}
        kept["deepcopy"] = copy.deepcopy(model.state_dict())

for how, state in kept.items():
    print(f"{how:12} holds {state['weight'].item()}")
