import copy

from torch import nn

model = nn.Linear(1, 1)
nn.init.constant_(model.weight, 1.0)
best = copy.deepcopy(model.state_dict())
nn.init.constant_(model.weight, 9.0)

model.load_state_dict(best)
print("the best weight was 1.0, restored:", model.weight.item())
