import torch
from torch import nn

net = nn.Module()
for register in (
    lambda: net.add_module("norm.1", nn.LayerNorm(2)),
    lambda: nn.ModuleDict({"block.0": nn.Linear(2, 2)}),
    lambda: net.register_parameter("fc.weight", nn.Parameter(torch.ones(2))),
    lambda: net.register_buffer("", torch.ones(2)),
    lambda: net.add_module(3, nn.LayerNorm(2)),
):
    try:
        register()
    except (KeyError, TypeError) as error:
        print(f"{type(error).__name__}: {error}")
