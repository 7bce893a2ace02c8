import torch
from torch import nn

net = nn.Module()
net.register_buffer("table", torch.zeros(2))
net.table = torch.ones(2)
print("after an assignment:", dict(net.named_buffers())["table"].tolist())

net.register_buffer("table", torch.full((2,), 2.0), persistent=False)
print("registered again:   ", dict(net.named_buffers())["table"].tolist())
print("saved:", list(net.state_dict()))
