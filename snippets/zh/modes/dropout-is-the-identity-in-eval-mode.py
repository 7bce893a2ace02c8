import torch
from torch import nn

torch.manual_seed(0)
drop = nn.Dropout(0.75)
x = torch.ones(10_000)

y = drop(x)
print("values:", sorted(set(y.tolist())))
print("about a quarter kept:", 0.23 < (y != 0).float().mean().item() < 0.27)
print("mean still about 1:", 0.9 < y.mean().item() < 1.1)

drop.eval()
print("eval hands back the same object:", drop(x) is x)
print("eval draws nothing:", torch.equal(drop(x), drop(x)))
