import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 1, bias=False))
with torch.no_grad():
    net[0].weight.copy_(torch.eye(2))
    net[1].weight.copy_(torch.tensor([[10.0, 1.0]]))


def without_unit(index):
    def hook(module, args, result):
        result = result.clone()
        result[:, index] = 0
        return result

    return hook


x = torch.tensor([[1.0, 2.0]])
print("whole:    ", net(x).item())
for unit in range(2):
    with net[0].register_forward_hook(without_unit(unit)):
        print(f"without {unit}:", net(x).item())
print("whole:    ", net(x).item())
