import torch
from torch import nn


class Attention(nn.Module):
    def forward(self, query, key):
        print("self-attention" if query is key else "cross-attention")
        return query * key


layer, x = Attention(), torch.ones(2, requires_grad=True)
layer(x, x)
with layer.register_full_backward_hook(lambda *_: None):
    layer(x, x)
layer(x, x)
