import torch
from torch import nn


class Mix(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        self.mix = torch.softmax(self.mix, 0)
        return x * self.mix


try:
    Mix()(torch.ones(2))
except TypeError as error:
    # 在 GPU 上是 'torch.cuda.FloatTensor'
    print(f"{type(error).__name__}: {error}".replace("cuda.", ""))
