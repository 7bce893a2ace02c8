from torch import nn

net = nn.Module()
net.layers = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
print("Parameter:", tuple(net.get_parameter("layers.0.weight").shape))
print("buffer:   ", net.get_buffer("layers.1.running_mean").tolist())
print("Module:   ", type(net.get_submodule("layers.1")).__name__)
for path in ("layers.2.weight", "layers.1.running_mean"):
    try:
        net.get_parameter(path)
    except AttributeError as error:
        print(f"{type(error).__name__}: {error}")

net.set_submodule("layers.1", nn.ReLU())
print([name for name, _ in net.named_modules()])
