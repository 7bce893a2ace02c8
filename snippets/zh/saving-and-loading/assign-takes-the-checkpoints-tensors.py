import torch
from torch import nn

checkpoint = nn.Linear(2, 2).to(torch.bfloat16).state_dict()
for assign in (False, True):
    model = nn.Linear(2, 2)
    model.bias.requires_grad_(False)
    weight = model.weight
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    model.load_state_dict(checkpoint, assign=assign)
    print(f"assign={assign}")
    print("  dtype:", model.weight.dtype)
    print("  the same Parameter:", model.weight is weight)
    known = optimizer.param_groups[0]["params"][0]
    print("  the one that the optimizer has:", model.weight is known)
    memory = checkpoint["weight"].data_ptr()
    print("  the checkpoint's memory:", model.weight.data_ptr() == memory)
    print("  requires_grad:", model.weight.requires_grad, model.bias.requires_grad)
