import torch
from torch import nn

checkpoint = nn.Linear(1, 1, bias=False).state_dict()
with torch.device("meta"):
    model = nn.Linear(1, 1, bias=False)
print(model.load_state_dict(checkpoint, assign=True))
print("still on meta:", model.weight.is_meta)
print("a Parameter that trains:", model.weight.requires_grad)
