import torch
from torch import nn

model = nn.BatchNorm1d(2)
model.plain = torch.ones(2)
optimizer = torch.optim.Adam(model.parameters())
model(torch.randn(4, 2)).pow(2).sum().backward()
optimizer.step()
model.double()

tensors = {
    "weight": model.weight,
    "gradient": model.weight.grad,
    "running mean": model.running_mean,
    "batch counter": model.num_batches_tracked,
    "plain tensor": model.plain,
    "Adam's average": optimizer.state[model.weight]["exp_avg"],
}
for name, tensor in tensors.items():
    print(f"{name:15} {tensor.dtype}")
