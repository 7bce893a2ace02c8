import torch
from torch import nn

body, head = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
model = nn.Sequential(body, head)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)


def ask(label):
    print(f"{label:22} body has a grad={body.weight.grad is not None!s:5}", end=" ")
    print(f"head has a grad={head.weight.grad is not None}")


model(torch.ones(1, 1)).backward()
ask("backward()")
optimizer.zero_grad()
ask("optimizer.zero_grad()")
model.zero_grad()
ask("model.zero_grad()")
