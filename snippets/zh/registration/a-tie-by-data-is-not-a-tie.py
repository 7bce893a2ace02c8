from torch import nn


def pair(tie):
    a, b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    tie(a, b)
    return nn.Sequential(a, b)


def by_parameter(a, b):
    b.weight = a.weight


def by_data(a, b):
    b.weight.data = a.weight.data


for tie in (by_parameter, by_data):
    net = pair(tie)
    before = net[0].weight.data_ptr() == net[1].weight.data_ptr()
    count = len(list(net.parameters()))
    net.double()
    after = net[0].weight.data_ptr() == net[1].weight.data_ptr()
    print(f"{tie.__name__:12} parameters: {count}")
    print(f"  shared: {before}, and after double(): {after}")
