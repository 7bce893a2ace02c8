from torch import nn

net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Sequential(nn.Linear(2, 2), nn.ReLU()))

for parent in list(net.modules()):
    for name, child in parent.named_children():
        if isinstance(child, nn.ReLU):
            setattr(parent, name, nn.GELU())
print(net)
print([name for name, _ in net.named_modules(prefix="net")])
