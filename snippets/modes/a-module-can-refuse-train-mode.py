import torch
from torch import nn


class Frozen(nn.Sequential):
    def train(self, mode=True):
        return super().train(False)  # whatever is asked: the answer is eval


plain = nn.Sequential(nn.Sequential(nn.BatchNorm1d(2)), nn.Dropout())
kept = nn.Sequential(Frozen(nn.BatchNorm1d(2)), nn.Dropout())

for model in (plain, kept):
    model[0].eval()  # at start-up
    model.train()  # at the start of each epoch
    print(model[0][0].training, model[1].training)
