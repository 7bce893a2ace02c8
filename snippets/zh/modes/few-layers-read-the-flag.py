import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(8, 4)
layers = [nn.Linear(4, 4), nn.LayerNorm(4), nn.GELU()]
layers += [nn.RReLU(), nn.Dropout(), nn.BatchNorm1d(4)]
for layer in layers:
    same = torch.equal(layer.train()(x), layer.eval()(x))
    answer = "the same in both modes" if same else "reads the flag"
    print(f"{type(layer).__name__:11} {answer}")
