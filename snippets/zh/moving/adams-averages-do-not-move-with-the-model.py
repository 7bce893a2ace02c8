import torch
from torch import nn

model = nn.Linear(1, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)


def show(when):
    average = optimizer.state[model.weight]["exp_avg"]
    print(f"{when:12} weight {model.weight.dtype}, average {average.dtype}")


model(torch.ones(1, 1)).sum().backward()
optimizer.step()
show("after a step")
model.to(torch.float64)
show("after to()")
optimizer.load_state_dict(optimizer.state_dict())
show("reloaded")
