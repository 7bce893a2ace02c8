from torch import nn

net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Sequential(nn.Linear(2, 2), nn.ReLU()))

for name, child in net.named_children():
    if isinstance(child, nn.ReLU):
        setattr(net, name, nn.GELU())
print(net)
