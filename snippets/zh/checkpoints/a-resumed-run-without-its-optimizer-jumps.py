import torch
from torch import nn


def build():
    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    return model, torch.optim.AdamW(model.parameters(), lr=0.1)


def step(model, optimizer):
    optimizer.zero_grad()
    loss = (model(torch.ones(1, 1)) - 1).pow(2).sum()
    loss.backward()
    optimizer.step()
    return loss.item()


model, optimizer = build()
for _ in range(200):
    loss = step(model, optimizer)
print(f"before the break: {loss:.2f}")

resumed, fresh_optimizer = build()
resumed.load_state_dict(model.state_dict())
step(resumed, fresh_optimizer)
print(f"after one step:   {step(resumed, fresh_optimizer):.2f}")
