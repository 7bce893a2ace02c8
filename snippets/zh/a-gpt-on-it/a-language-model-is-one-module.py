import torch
from torch import nn
from torch.nn import functional as F


class Bigram(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.table = nn.Embedding(vocab_size, vocab_size)
        nn.init.zeros_(self.table.weight)

    def forward(self, tokens, targets=None):
        logits = self.table(tokens)  # (T, vocab_size)
        loss = None if targets is None else F.cross_entropy(logits, targets)
        return logits, loss


text = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1, 2])
model = Bigram(vocab_size=3)
optimizer = torch.optim.SGD(model.parameters(), lr=3.0)
for step in range(4):
    _, loss = model(text[:-1], text[1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.3f}")
print("after 0, 1, 2 comes:", model(torch.tensor([0, 1, 2]))[0].argmax(-1).tolist())
