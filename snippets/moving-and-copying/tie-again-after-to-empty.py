import torch
from torch import nn

here = torch.get_default_device()


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(3, 2)
        self.head = nn.Linear(2, 3, bias=False)
        self.tie()

    def tie(self):
        self.head.weight = self.wte.weight


trained = Tied()
with torch.device("meta"):
    model = Tied()
model.to_empty(device=here).tie()
model.load_state_dict(trained.state_dict())
print("tied:", model.wte.weight is model.head.weight)
print("loaded:", torch.equal(model.head.weight, trained.head.weight))
