import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def forward(self, x):
        return F.dropout(x, 1.0)  # 默认值是 training=True，不是 self.training


block = Block().eval()
print("F.dropout in eval mode:", block(torch.ones(3)).tolist())

model = nn.Sequential(nn.Linear(1, 1)).eval()
model.append(nn.Dropout())
print("added later:", [m.training for m in model.modules()])

model.train()
model.training = False
print("by assignment:", [m.training for m in model.modules()])

try:
    model.train("eval")
except ValueError as error:
    print("ValueError:", error)
