import io

import torch
from torch import nn


def build():
    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    return model, torch.optim.AdamW(model.parameters(), lr=0.1)


def step(model, optimizer):
    optimizer.zero_grad()
    model(torch.ones(8, 2)).pow(2).mean().backward()
    optimizer.step()


torch.manual_seed(0)
model, optimizer = build()
for _ in range(3):
    step(model, optimizer)
file = io.BytesIO()
torch.save(
    {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 3}, file
)
step(model, optimizer)  # 恢复训练后必须重现的一步

file.seek(0)
checkpoint = torch.load(file, weights_only=True)
for with_optimizer in (True, False):
    resumed, resumed_optimizer = build()
    resumed.load_state_dict(checkpoint["model"])
    if with_optimizer:
        resumed_optimizer.load_state_dict(checkpoint["optimizer"])
    step(resumed, resumed_optimizer)
    same = all(
        torch.allclose(a, b) for a, b in zip(model.parameters(), resumed.parameters())
    )
    print(f"optimizer restored: {with_optimizer}, same next step: {same}")
print("the optimizer's keys:", list(checkpoint["optimizer"]["state"]))
