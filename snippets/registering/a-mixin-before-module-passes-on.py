from torch import nn


class Counts:
    def __init__(self, start=0):
        super().__init__()
        self.calls = start


class Net(Counts, nn.Module):
    def __init__(self):
        super().__init__(start=3)
        self.fc = nn.Linear(2, 2)


class Asking(nn.Module, Counts):
    call_super_init = True


print(Net().calls, [name for name, _ in Net().named_children()])
print(Asking(start=5).calls)
