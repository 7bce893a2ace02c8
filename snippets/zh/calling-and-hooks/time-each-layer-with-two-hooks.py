import time

import torch
from torch import nn

net = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64))
started, spent = {}, {}


def now():
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()


def start(module, args):
    started[module] = now()


def stop(module, args, result):
    spent[module] = now() - started.pop(module)


for module in net.modules():
    module.register_forward_pre_hook(start)
    module.register_forward_hook(stop)

net(torch.randn(32, 64))
print("stopped in this order:", [type(module).__name__ for module in spent])
print("all positive:", all(seconds > 0 for seconds in spent.values()))
in_children = sum(spent[layer] for layer in net)
print("the parent's time covers its children's:", spent[net] >= in_children)
