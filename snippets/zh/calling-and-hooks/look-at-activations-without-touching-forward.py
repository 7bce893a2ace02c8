import torch
from torch import nn

tail = nn.Sequential(nn.Linear(8, 2), nn.Tanh())
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), tail)
activations, handles = {}, []


def keep(name):
    def hook(module, args, result):
        activations[name] = result.detach()

    return hook


for name, module in net.named_modules():
    if not list(module.children()):  # 模块树的叶子
        handles.append(module.register_forward_hook(keep(name)))

net(torch.randn(3, 4))
for handle in handles:
    handle.remove()

for name, value in activations.items():
    print(f"{name:4} {tuple(value.shape)} holds a graph: {value.requires_grad}")
print("the ReLU let nothing negative through:", bool((activations["1"] >= 0).all()))
