import torch
from torch import nn

norm = nn.BatchNorm1d(1, affine=False)
x = torch.tensor([[1.0], [3.0]])  # 均值 2，无偏方差 2


def show(label):
    y = [round(v, 3) for v in norm(x).flatten().tolist()]
    mean, var = norm.running_mean.item(), norm.running_var.item()
    print(f"{label:6} y={y} running: mean {mean:.2f}, var {var:.2f}")


show("train")  # 用这批数据归一化：一个低于均值，一个高于均值
norm.eval()
show("eval")  # 用存下的统计量归一化：(x - 0.2) / sqrt(1.1)
show("eval")  # 此后什么都不再变
norm.train()
show("train")  # 0.2 继续变：0.9 * 0.2 + 0.1 * 2
