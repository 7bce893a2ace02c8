import torch
from torch import nn

layer = nn.Linear(2, 1)
x = torch.ones(1, 2)

with torch.no_grad():
    print("under no_grad:", layer(x).grad_fn)

first, second = layer(x).square().sum(), layer(x).square().sum()
print("two calls, two graphs:", first.grad_fn is not second.grad_fn)
first.backward()
try:
    first.backward()
except RuntimeError as error:
    print(str(error).split("(")[0].strip())
second.backward()
print("the other one is whole:", layer.weight.grad is not None)
