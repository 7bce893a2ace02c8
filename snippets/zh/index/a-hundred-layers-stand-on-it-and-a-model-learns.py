import torch
from torch import nn, optim

classes = [value for value in vars(nn).values() if isinstance(value, type)]
layers = [cls for cls in classes if issubclass(cls, nn.Module)]
print("more than 100 layers stand on it:", len(layers) > 100)

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = optim.Adam(model.parameters(), lr=0.05)
x = torch.linspace(-1, 1, 32)[:, None]
losses = []
for _ in range(200):
    loss = (model(x) - x.square()).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print("learned a parabola:", losses[-1] < losses[0] / 10)
