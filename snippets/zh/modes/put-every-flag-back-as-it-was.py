from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def evaluating(model):
    before = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            yield model
    finally:
        for module, mode in before.items():
            module.training = mode  # 不用 train(mode)：那会盖掉子模块自己的值


model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Dropout())
model[1].eval()

with evaluating(model):
    loss = model(torch.ones(1, 2)).sum()
    print([m.training for m in model.modules()], loss.requires_grad)
print([m.training for m in model.modules()])
