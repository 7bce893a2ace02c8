import torch
from torch import nn


class Module:
    def __init__(self):
        vars(self).update(_parameters={}, _modules={}, _forward_hooks=[])

    def __setattr__(self, name, value):
        if isinstance(value, nn.Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._modules[name] = value
        super().__setattr__(name, value)

    def parameters(self):
        yield from self._parameters.values()
        for child in self._modules.values():
            yield from child.parameters()

    def __call__(self, *inputs):
        output = self.forward(*inputs)
        for hook in self._forward_hooks:
            hook(self, inputs, output)
        return output


class Line(Module):
    def __init__(self):
        super().__init__()
        self.slope = nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        return self.slope * x


model = Line()
model._forward_hooks.append(lambda module, inputs, output: print(output.item()))
model(torch.tensor(3.0)).backward()
print(*(f"parameter {p.item()}, gradient {p.grad.item()}" for p in model.parameters()))
