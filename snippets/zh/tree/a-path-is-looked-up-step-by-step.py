from torch import nn

net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.BatchNorm1d(2)))
net.width = 2
print("the norm:  ", type(net.get_submodule("1.0")).__name__)
print("the root:  ", net.get_submodule("") is net)
print("its buffer:", net.get_buffer("1.0.running_mean").tolist())

for path in ("1.7", "width"):
    try:
        net.get_submodule(path)
    except AttributeError as error:
        print(error)

net.set_submodule("1.0", nn.LayerNorm(2))
net.set_submodule("1.9", nn.ReLU())
print([name for name, _ in net.named_modules()])
try:
    net.set_submodule("1.10", nn.ReLU(), strict=True)
except AttributeError as error:
    print(error)
