import torch
from torch import nn


class Causal(nn.Module):
    def __init__(self, as_buffer, context=3):
        super().__init__()
        mask = torch.ones(context, context).tril()
        if as_buffer:
            self.register_buffer("bias", mask)
        else:
            self.bias = mask

    def forward(self, scores):  # (T, T)
        size = scores.size(-1)
        hidden = self.bias[:size, :size] == 0
        return scores.masked_fill(hidden, float("-inf")).softmax(-1)


for row in Causal(as_buffer=True)(torch.zeros(3, 3)):
    print([f"{weight:.2f}" for weight in row.tolist()])

for as_buffer in (True, False):
    model = Causal(as_buffer).to("meta")
    moved = "moved" if model.bias.is_meta else "left behind"
    print("buffer:" if as_buffer else "plain: ", moved, list(model.state_dict()))
