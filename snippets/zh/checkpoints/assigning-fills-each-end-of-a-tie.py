from torch import nn


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(3, 2)
        self.head = nn.Linear(2, 3, bias=False)
        self.head.weight = self.wte.weight


for assign in (False, True):
    model = Tied()
    model.load_state_dict(Tied().state_dict(), assign=assign)
    names = [name for name, _ in model.named_parameters()]
    print(f"assign={assign}:", names, model.head.weight is model.wte.weight)
