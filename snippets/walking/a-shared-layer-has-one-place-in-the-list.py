import torch
from torch import nn

act = nn.ReLU()
net = nn.Sequential(nn.Linear(2, 2), act, nn.Sequential(nn.Linear(2, 2), act))
print("listed:", [name for name, module in net.named_modules() if module is act])

calls = []
act.register_forward_hook(lambda *_: calls.append("a call"))
net(torch.ones(1, 2))
print("called:", len(calls), "times")
