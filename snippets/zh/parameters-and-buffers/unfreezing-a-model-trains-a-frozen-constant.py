import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, as_parameter):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        eight = torch.tensor([8.0])
        if as_parameter:
            self.temperature = nn.Parameter(eight, requires_grad=False)
        else:
            self.register_buffer("temperature", eight)

    def forward(self, x):
        return x * self.weight / self.temperature


for as_parameter in (True, False):
    model = Scaled(as_parameter)
    model.requires_grad_(False)  # 微调：先全部冻结……
    model.requires_grad_(True)  # ……之后再解冻
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    model(torch.ones(1)).backward()
    optimizer.step()
    moved = model.temperature.item() != 8.0
    count = sum(parameter.numel() for parameter in model.parameters())
    kind = "Parameter" if as_parameter else "buffer"
    print(f"{kind:9} moved: {moved}, counted: {count}")
