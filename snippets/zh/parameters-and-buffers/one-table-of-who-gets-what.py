import torch
from torch import nn


class Everything(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.frozen = nn.Parameter(torch.ones(2), requires_grad=False)
        self.register_buffer("mean", torch.ones(2))
        self.register_buffer("mask", torch.ones(2), persistent=False)
        self.plain = torch.ones(2, requires_grad=True)

    def forward(self, x):
        return x * self.weight * self.frozen * self.mean * self.mask * self.plain


model = Everything()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model(torch.ones(2)).sum().backward()
optimizer.step()
listed, saved = dict(model.named_parameters()), model.state_dict()
model.to(torch.float64)

titles = ("gradient", "parameters()", "trained", "state_dict()", "to()")
print("tensor" + "".join(f"{title:>14}" for title in titles))
for name in ("weight", "frozen", "mean", "mask", "plain"):
    tensor = getattr(model, name)
    trained = tensor[0].item() != 1
    moved = tensor.dtype == torch.float64
    answers = (tensor.grad is not None, name in listed, trained, name in saved, moved)
    print(f"{name:6}" + "".join(f"{'yes' if yes else '-':>14}" for yes in answers))
