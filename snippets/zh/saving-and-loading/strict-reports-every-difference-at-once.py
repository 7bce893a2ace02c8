import textwrap

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Linear(2, 4)
        self.head = nn.Linear(4, classes)


checkpoint = Net(classes=3).state_dict()
del checkpoint["body.bias"]
checkpoint["body.scale"] = torch.ones(4)

try:
    Net(classes=5).load_state_dict(checkpoint)
except RuntimeError as error:
    for line in str(error).split("\n"):
        print(textwrap.fill(line.strip(), 80, subsequent_indent="    "))
