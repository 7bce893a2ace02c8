import torch
from torch import nn

unused = nn.Parameter(torch.tensor([1.0]))  # 优化器里有它，forward 里没有
optimizer = torch.optim.SGD([unused], lr=0.1, weight_decay=0.5)

unused.grad = None
optimizer.step()
print("None:", round(unused.item(), 3))

unused.grad = torch.zeros(1)
optimizer.step()
print("zero:", round(unused.item(), 3))  # weight decay 见到梯度，拉了一下
