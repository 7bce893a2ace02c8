import torch
from torch import nn

with torch.device("meta"):
    model = nn.Linear(100_000, 100_000, bias=False)

size = sum(parameter.numel() * parameter.element_size() for parameter in model.parameters())
print(f"{size / 2**30:.0f} GiB in {len(list(model.parameters()))} Parameter")
print(model)
print(model(torch.ones(8, 100_000, device="meta")).shape)
