import torch
from torch import nn

model, fired = nn.Sequential(nn.Linear(2, 2), nn.ReLU()), []
compiled, x = torch.compile(model, backend="eager"), torch.ones(1, 2)
compiled(x)

model[0].register_forward_hook(lambda *_: fired.append("hook"))
compiled(x)
print("compiled:", fired)
model(x)
print("model:   ", fired)
torch.compiler.reset()
