import torch
from torch import nn

places = nn.Embedding(8, 2)
before = torch.optim.SGD(places.parameters(), lr=1.0)
places.weight = nn.Parameter(places.weight.detach()[:4].clone())
after = torch.optim.SGD(places.parameters(), lr=1.0)

start = places.weight.detach().clone()
places(torch.arange(4)).sum().backward()
before.step()
print("built before: moved", not torch.equal(places.weight, start))
after.step()
print("built after:  moved", not torch.equal(places.weight, start))
