import torch
from torch import nn

new = {
    "Parameter": nn.Parameter(torch.zeros(1)),
    "Tensor": torch.zeros(1),
    "Module": nn.Linear(1, 1),
    "7": 7,
    "None": None,
}


def place_after(kind, value):
    module = nn.Module()
    if kind == "buffer":
        module.register_buffer("x", new["Tensor"])
    else:
        module.x = new.get(kind, "text")
    try:
        module.x = value
    except TypeError:
        return "TypeError"
    for registry in ("_parameters", "_buffers", "_modules"):
        if "x" in vars(module)[registry]:
            return registry
    return "plain"


print(f"{'':9}", *(f"{'= ' + value:>12}" for value in new))
for kind in ("Parameter", "buffer", "Module", "plain"):
    print(f"{kind:9}", *(f"{place_after(kind, value):>12}" for value in new.values()))
