from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
        self.out = nn.Linear(2, 1)


net = Net()
print("to train:", [name for name, _ in net.named_parameters()])
print("to save: ", len(net.state_dict()), "tensors")
