import torch
from torch import nn

ran = []
model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
compiled = torch.compile(model, backend="eager")
x = torch.ones(1, 2)
compiled(x)
model[0].register_forward_hook(lambda module, args, output: ran.append(type(module).__name__))
compiled(x)
print("after the hook was registered:", ran)
model(x)
print("called without compile:", ran)
torch.compiler.reset()
compiled(x)
print("compiled again:", ran)
