import torch
from torch import nn

model, shapes = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)), {}


def note(module, args, output):
    shapes.setdefault("first", output.shape)


model[0].register_forward_hook(note)
print("output:", tuple(model(torch.ones(1, 2)).shape))
print("noted: ", tuple(shapes["first"]))
