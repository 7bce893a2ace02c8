import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def forward(self, x):  # (B, T, C)
        dropout = 0.5 if self.training else 0.0
        return F.scaled_dot_product_attention(x, x, x, dropout_p=dropout)


model = Attention()
x = torch.randn(1, 16, 8)
print("train, the same twice:", torch.equal(model(x), model(x)))
model.eval()
print("eval, the same twice: ", torch.equal(model(x), model(x)))
