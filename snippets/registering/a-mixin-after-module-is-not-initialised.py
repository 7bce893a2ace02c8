from torch import nn


class Counts:
    def __init__(self):
        self.calls = 0


class Net(nn.Module, Counts):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)


try:
    Net().calls += 1
except AttributeError as error:
    print(f"{type(error).__name__}: {error}")
