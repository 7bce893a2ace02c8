import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.used = nn.Linear(2, 2)
        self.frozen = nn.Linear(2, 2).requires_grad_(False)
        self.spare = nn.Linear(2, 2)

    def forward(self, x):
        return self.frozen(torch.relu(self.used(x))).sum()


def leaves(node, seen):
    if node is not None and node not in seen:
        seen.add(node)
        yield from [node.variable] if hasattr(node, "variable") else []
        for following, _ in node.next_functions:
            yield from leaves(following, seen)


net = Net()
loss = net(torch.ones(1, 2))
reached = set(leaves(loss.grad_fn, set()))
loss.backward()
for name, parameter in net.named_parameters():
    has_grad = parameter.grad is not None
    print(f"{name:14} reached={parameter in reached!s:5} has a grad={has_grad}")
