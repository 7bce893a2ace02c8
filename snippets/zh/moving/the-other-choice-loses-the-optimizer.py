import torch
from torch import nn


def train_after_move(new_parameters):
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    weight = model.weight
    torch.__future__.set_overwrite_module_params_on_conversion(new_parameters)
    try:
        model.to(torch.float64)
    finally:
        torch.__future__.set_overwrite_module_params_on_conversion(False)
    before = model.weight.item()
    model(torch.ones(1, 1, dtype=torch.float64)).sum().backward()
    optimizer.step()
    return model.weight is weight, round(before - model.weight.item(), 6)


for new_parameters in (False, True):
    same, moved = train_after_move(new_parameters)
    print(f"new Parameters: {new_parameters}")
    print(f"  same object: {same}, the step moved the weight by {moved}")
