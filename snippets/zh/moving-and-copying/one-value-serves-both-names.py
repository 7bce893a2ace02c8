import torch
from torch import nn

here, there = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
there.weight = here.weight
model, x = nn.Sequential(here, there), torch.ones(1, 1)
nn.init.constant_(here.weight, 2.0)
five, seven = torch.tensor([[5.0]]), torch.tensor([[7.0]])


def call(values, **options):
    return torch.func.functional_call(model, values, (x,), **options).item()


print("one name, both layers:", call({"0.weight": five}))
both = {"0.weight": five, "1.weight": seven}
print("tie_weights=False:    ", call(both, tie_weights=False))
print("afterwards:           ", model(x).item(), here.weight is there.weight)
