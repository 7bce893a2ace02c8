import torch
from torch import nn

norm = nn.BatchNorm1d(1)
print("parameters:", [name for name, _ in norm.named_parameters()])
print("buffers:   ", [name for name, _ in norm.named_buffers()])


def show(when):
    mean, batches = norm.running_mean.item(), norm.num_batches_tracked.item()
    print(f"{when:10} running_mean {mean:.2f}, batches {batches}")


mean = norm.running_mean
batch = torch.tensor([[1.0], [3.0]])  # 均值是 2
with torch.no_grad():
    for _ in range(2):
        norm(batch)
        show("training")
print("the same tensor object:", norm.running_mean is mean)
norm.eval()
norm(batch)
show("after eval")
