from torch import nn


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(3, 2)
        self.head = nn.Linear(2, 3, bias=False)
        self.tie_weights()

    def tie_weights(self):
        self.head.weight = self.wte.weight


model = Tied()
model.load_state_dict(Tied().state_dict(), assign=True)
model.tie_weights()
names = [name for name, _ in model.named_parameters()]
print(names, model.head.weight is model.wte.weight)
