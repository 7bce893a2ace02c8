import torch
from torch import nn


class Frozen(nn.Sequential):
    def train(self, mode=True):
        return super().train(False)  # 不管要求什么，答案都是 eval


plain = nn.Sequential(nn.Sequential(nn.BatchNorm1d(2)), nn.Dropout())
kept = nn.Sequential(Frozen(nn.BatchNorm1d(2)), nn.Dropout())

for model in (plain, kept):
    model[0].eval()  # 程序启动时
    model.train()  # 每个 epoch 开始时
    print(model[0][0].training, model[1].training)
