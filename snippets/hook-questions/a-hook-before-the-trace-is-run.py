import torch
from torch import nn

model, fired = nn.Sequential(nn.Linear(2, 2), nn.ReLU()), []
compiled, x = torch.compile(model, backend="eager"), torch.ones(1, 2)
model[0].register_forward_hook(lambda *_: fired.append("before"))
compiled(x)
print(fired)

model[1].register_forward_hook(lambda *_: fired.append("after"))
torch.compiler.reset()  # the next call is traced anew
fired.clear()
compiled(x)
print(fired)
torch.compiler.reset()
