import copy

import torch
from torch import nn

here = torch.get_default_device()


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(3, 2)
        self.head = nn.Linear(2, 3, bias=False)
        self.head.weight = self.wte.weight


def loaded(assign):
    model = Tied()
    model.load_state_dict(Tied().state_dict(), assign=assign)
    return model


moves = {
    "half()": lambda: Tied().half(),
    "deepcopy": lambda: copy.deepcopy(Tied()),
    "load_state_dict": lambda: loaded(assign=False),
    "load_state_dict, assign": lambda: loaded(assign=True),
    'to("meta")': lambda: Tied().to("meta"),
    "to_empty from meta": lambda: Tied().to("meta").to_empty(device=here),
}
for name, move in moves.items():
    model = move()
    tied = "tied" if model.wte.weight is model.head.weight else "UNTIED"
    print(f"{name:24} {tied:7} parameters: {len(list(model.parameters()))}")
