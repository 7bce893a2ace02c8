import torch
from torch import nn

model = nn.Module()
model.register_buffer("steps", torch.tensor(0))
state = model.state_dict()

model.steps += 1
print("in place:", model.steps.item(), state["steps"].item())
model.steps = model.steps + 1
print("assigned:", model.steps.item(), state["steps"].item())
print("still a buffer:", "steps" in dict(model.named_buffers()))
