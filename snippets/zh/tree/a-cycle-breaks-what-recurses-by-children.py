from torch import nn


class Head(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone


class Hidden(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = (backbone,)


def report(call):
    try:
        call()
        print("  works:         ", call.__name__)
    except RecursionError:
        print("  RecursionError:", call.__name__)


for kind in (Head, Hidden):
    net = nn.Linear(2, 2)
    net.head = kind(net)
    print(kind.__name__, [name for name, _ in net.named_modules()])
    for call in (net.zero_grad, net.eval, net.state_dict, net.__repr__):
        report(call)
