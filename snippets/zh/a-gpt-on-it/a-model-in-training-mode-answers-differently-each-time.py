import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5), nn.Linear(64, 4))
x = torch.ones(1, 4)
with torch.no_grad():
    print("training:  ", torch.equal(model(x), model(x)))
    model.eval()
    print("evaluation:", torch.equal(model(x), model(x)))
