from torch import nn

net = nn.Sequential()
net.body = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
net.width = 2

net.set_submodule("body.3", nn.GELU())
print(net)
for path in ("bodi.1", "width", ""):
    try:
        net.set_submodule(path, nn.GELU())
    except (AttributeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
