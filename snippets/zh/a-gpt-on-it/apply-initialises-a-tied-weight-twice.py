from torch import nn


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(3, 2)
        self.lm_head = nn.Linear(2, 3, bias=False)
        self.lm_head.weight = self.wte.weight


def init(module):
    if isinstance(module, nn.Embedding):
        nn.init.constant_(module.weight, 1.0)
    if isinstance(module, nn.Linear):
        nn.init.constant_(module.weight, 9.0)


model = Tied().apply(init)
print("one entry:", [name for name, _ in model.named_parameters()])
print("the embedding has the head's:", model.wte.weight[0, 0].item())
