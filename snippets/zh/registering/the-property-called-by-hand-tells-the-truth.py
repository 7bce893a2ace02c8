from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)

    @property
    def width(self):
        return self.fc.wieght.shape[0]


net = Net()
try:
    type(net).width.fget(net)
except AttributeError as error:
    print(f"{type(error).__name__}: {error}")
