import torch
from torch import nn


class Affine(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(3.0))
        self.shift = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        return torch.sin(x * self.scale + self.shift)


model = Affine()
names = {parameter: name for name, parameter in model.named_parameters()}


def show(node, depth=0):
    leaf = f" -> model.{names[node.variable]}" if hasattr(node, "variable") else ""
    print("  " * depth + type(node).__name__ + leaf)
    for following, _ in node.next_functions:
        if following is not None:
            show(following, depth + 1)


sine = model(torch.tensor(2.0)).grad_fn
show(sine)
add = sine.next_functions[0][0]
accumulate = add.next_functions[1][0]
print("the very object that the Module holds:", accumulate.variable is model.shift)
