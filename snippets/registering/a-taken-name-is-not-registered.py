import torch
from torch import nn

net = nn.Module()
net.table = torch.zeros(2)
net.fc = nn.Linear(2, 2)
for register in (
    lambda: net.register_buffer("table", net.table),
    lambda: net.register_buffer("half", torch.ones(2)),
    lambda: net.register_parameter("fc", None),
):
    try:
        register()
    except KeyError as error:
        print(f"{type(error).__name__}: {error}")
