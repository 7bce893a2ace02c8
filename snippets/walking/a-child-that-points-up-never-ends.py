from torch import nn


class Layer(nn.Module):
    def __init__(self, owner):
        super().__init__()
        self.owner = owner
        self.fc = nn.Linear(2, 2)


net = nn.Module()
net.layer = Layer(net)
print("parameters:", [name for name, _ in net.named_parameters()])
for call in (net.eval, net.double, net.state_dict, net.__repr__):
    try:
        call()
    except RecursionError as error:
        print(f"{type(error).__name__}: {str(error)[:32]}")
