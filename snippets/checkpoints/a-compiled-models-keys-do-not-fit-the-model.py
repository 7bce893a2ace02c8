import torch
from torch import nn

trained = nn.Sequential(nn.Linear(1, 1))
checkpoint = torch.compile(trained).state_dict()

model = nn.Sequential(nn.Linear(1, 1))
try:
    model.load_state_dict(checkpoint)
except RuntimeError as error:
    for line in f"{type(error).__name__}: {error}".splitlines():
        print(line.strip())
