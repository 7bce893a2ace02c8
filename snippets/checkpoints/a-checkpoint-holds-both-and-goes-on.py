import io

import torch
from torch import nn


def build():
    model = nn.Linear(1, 1, bias=False)
    return model, torch.optim.AdamW(model.parameters(), lr=0.1)


def step(model, optimizer):
    optimizer.zero_grad()
    (model(torch.ones(1, 1)) - 1).pow(2).sum().backward()
    optimizer.step()


model, optimizer = build()
step(model, optimizer)
file = io.BytesIO()
state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
torch.save(state, file)
file.seek(0)

checkpoint = torch.load(file)
resumed, resumed_optimizer = build()
resumed.load_state_dict(checkpoint["model"])
resumed_optimizer.load_state_dict(checkpoint["optimizer"])
for pair in ((model, optimizer), (resumed, resumed_optimizer)):
    step(*pair)
print("the same next step:", torch.equal(model.weight, resumed.weight))
