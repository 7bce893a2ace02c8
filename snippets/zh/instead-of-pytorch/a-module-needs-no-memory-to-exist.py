import torch
from torch import nn

with torch.device("meta"):
    model = nn.Linear(100_000, 100_000, bias=False)

sizes = [parameter.nbytes for parameter in model.parameters()]
print(f"{sum(sizes) / 2**30:.0f} GiB in {len(sizes)} Parameter")
print(model)
print(model(torch.ones(8, 100_000, device="meta")).shape)
