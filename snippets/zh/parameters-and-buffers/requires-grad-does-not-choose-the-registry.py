import torch
from torch import nn

model = nn.Module()
model.frozen = nn.Parameter(torch.ones(1), requires_grad=False)
model.register_buffer("curious", torch.ones(1, requires_grad=True))
print("parameters:", [name for name, _ in model.named_parameters()])
print("buffers:   ", [name for name, _ in model.named_buffers()])

optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
(3 * model.frozen * model.curious).backward()
optimizer.step()
print("gradients: ", model.frozen.grad, model.curious.grad.tolist())
print("after step:", model.frozen.item(), model.curious.item())

model.requires_grad_(False)
print("buffer still asks for a gradient:", model.curious.requires_grad)
