from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    @property
    def width(self):
        return self.layer.wieght.shape[0]

    def count(self):
        return self.layer.wieght.numel()


net = Net()
for read in (lambda: net.width, net.count):
    try:
        read()
    except AttributeError as error:
        print(error)
print("has width:", hasattr(net, "width"))
