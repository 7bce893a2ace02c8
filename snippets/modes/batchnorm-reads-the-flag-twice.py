import torch
from torch import nn

norm = nn.BatchNorm1d(1, affine=False)
x = torch.tensor([[1.0], [3.0]])  # mean 2, unbiased variance 2


def show(label):
    y = [round(v, 3) for v in norm(x).flatten().tolist()]
    mean, var = norm.running_mean.item(), norm.running_var.item()
    print(f"{label:6} y={y} running: mean {mean:.2f}, var {var:.2f}")


show("train")  # normalised by the batch: one below its mean, one above
norm.eval()
show("eval")  # normalised by what is stored: (x - 0.2) / sqrt(1.1)
show("eval")  # and nothing moves any more
norm.train()
show("train")  # 0.2 moves on: 0.9 * 0.2 + 0.1 * 2
