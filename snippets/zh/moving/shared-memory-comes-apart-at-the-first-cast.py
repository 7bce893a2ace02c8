import torch
from torch import nn


def layer(weight, table):
    module = nn.Linear(2, 2, bias=False)
    module.weight = weight
    module.register_buffer("table", table)
    return module


def report(when, first, second):
    memory = first.weight.data_ptr() == second.weight.data_ptr()
    buffer = first.table is second.table
    print(f"  {when}: weights share memory: {memory}, one buffer: {buffer}")


for title in ("one Parameter", "tied by .data"):
    table, weight = torch.zeros(2), nn.Parameter(torch.ones(2, 2))
    other = weight if title == "one Parameter" else nn.Parameter(weight.data)
    model = nn.Sequential(layer(weight, table), layer(other, table))
    print(title, "| parameters:", len(list(model.parameters())))
    report("before", *model)
    model.to(torch.float64)
    report("after ", *model)
