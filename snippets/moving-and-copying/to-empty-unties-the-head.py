import torch
from torch import nn

here = torch.get_default_device()


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(3, 2)
        self.head = nn.Linear(2, 3, bias=False)
        self.head.weight = self.wte.weight


def report(when):
    tied = model.wte.weight is model.head.weight
    print(f"{when}: tied {tied}, parameters {len(list(model.parameters()))}")


with torch.device("meta"):
    model = Tied()
report("on meta")
model.to_empty(device=here)
report("to_empty")
