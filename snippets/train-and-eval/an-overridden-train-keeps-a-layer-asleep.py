import torch
from torch import nn


class FineTuned(nn.Sequential):
    def train(self, mode=True):
        super().train(mode)
        self[1].eval()
        return self


model = FineTuned(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Dropout())
model[1].requires_grad_(False)
model.train()
model(torch.ones(4, 2))
print([module.training for module in model.children()])
print("batches counted:", model[1].num_batches_tracked.item())
