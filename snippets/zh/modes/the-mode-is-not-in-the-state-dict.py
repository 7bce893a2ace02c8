import copy

from torch import nn

model = nn.Sequential(nn.Linear(1, 1), nn.Dropout()).eval()
print(list(model.state_dict()))

fresh = nn.Sequential(nn.Linear(1, 1), nn.Dropout())
fresh.load_state_dict(model.state_dict())
print("loaded:", fresh.training, "copied:", copy.deepcopy(model).training)
