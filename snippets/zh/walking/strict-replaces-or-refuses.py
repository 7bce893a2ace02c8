from torch import nn

net = nn.Sequential()
net.body = nn.Sequential(nn.Linear(2, 2), nn.ReLU())

net.set_submodule("body.1", nn.GELU(), strict=True)
print(net)
try:
    net.set_submodule("body.3", nn.GELU(), strict=True)
except AttributeError as error:
    print(f"{type(error).__name__}: {error}")
