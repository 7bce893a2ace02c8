import torch


class Line:
    def __init__(self):
        self.w = torch.tensor(0.0, requires_grad=True)
        self.b = torch.tensor(0.0, requires_grad=True)

    def forward(self, x):
        return self.w * x + self.b


line = Line()
x = torch.tensor([0.0, 1.0, 2.0, 3.0])
for _ in range(300):
    line.w.grad = line.b.grad = None
    loss = (line.forward(x) - (2 * x + 1)).square().mean()
    loss.backward()
    with torch.no_grad():
        line.w -= 0.1 * line.w.grad
        line.b -= 0.1 * line.b.grad
print("w", round(line.w.item(), 3), "b", round(line.b.item(), 3))
