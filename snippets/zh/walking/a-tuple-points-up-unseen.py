from torch import nn


class Layer(nn.Module):
    def __init__(self, owner):
        super().__init__()
        self.owner = (owner,)
        self.fc = nn.Linear(2, 2)


net = nn.Module()
net.layer = Layer(net)
net.eval()
print(net)
print("training:", net.layer.owner[0].training, " keys:", list(net.state_dict()))
