import sys

import torch
from torch import nn


def walks(function):
    calls = []
    sys.setprofile(lambda frame, event, _: event == "call" and calls.append(frame.f_code.co_name))
    function()
    sys.setprofile(None)
    return "named_modules" in calls


model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(1, 2)).sum().backward()

print("model.zero_grad()     walks:", walks(model.zero_grad))
print("optimizer.step()      walks:", walks(optimizer.step))
print("optimizer.zero_grad() walks:", walks(optimizer.zero_grad))
