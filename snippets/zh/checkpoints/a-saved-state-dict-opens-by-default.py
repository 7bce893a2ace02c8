import io

import torch
from torch import nn

file = io.BytesIO()
torch.save(nn.Sequential(nn.Linear(1, 1)).state_dict(), file)
file.seek(0)

model = nn.Sequential(nn.Linear(1, 1))
print(model.load_state_dict(torch.load(file)))
