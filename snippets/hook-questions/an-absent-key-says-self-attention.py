import torch
from torch import nn


class Attention(nn.Module):
    def forward(self, query, key=None):
        print("self-attention" if key is None else "cross-attention")
        return query * (query if key is None else key)


layer, x = Attention(), torch.ones(2, requires_grad=True)
layer(x)
with layer.register_full_backward_hook(lambda *_: None):
    layer(x)
    layer(x, torch.ones(2))
