import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc = nn.Linear(size, size, bias=False)
        self.gain = nn.Parameter(torch.ones(1))
        self.register_buffer("mask", torch.ones(2, 2).tril())


class GPT(nn.Module):
    def __init__(self, size=4):
        super().__init__()
        self.wte = nn.Embedding(10, size)
        self.h = nn.ModuleList([Block(size), Block(size)])


model = GPT()
print("children  ", [name for name, _ in model.named_children()])
print("modules   ", [name for name, _ in model.named_modules()])
print("parameters", [name for name, _ in model.named_parameters()])
print("buffers   ", [name for name, _ in model.named_buffers()])
print("one level ", [name for name, _ in model.h[0].named_parameters(recurse=False)])
