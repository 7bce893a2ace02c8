import torch
from torch import nn


class Module:
    def __init__(self):
        vars(self).update(_parameters={}, _buffers={}, _modules={})

    def __setattr__(self, name, value):
        if isinstance(value, nn.Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._modules[name] = value
        else:
            object.__setattr__(self, name, value)

    def register_buffer(self, name, tensor):
        self._buffers[name] = tensor

    def __getattr__(self, name):  # 普通查找失败时才会调用
        for registry in (self._parameters, self._buffers, self._modules):
            if name in registry:
                return registry[name]
        raise AttributeError(name)


class Block(Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))
        self.inner = Module()
        self.register_buffer("mask", torch.ones(2, 2).tril())
        self.heads = 2


block = Block()
for name, value in vars(block).items():
    print(f"{name:12}", list(value) if isinstance(value, dict) else value)
print(block.mask.tolist())
