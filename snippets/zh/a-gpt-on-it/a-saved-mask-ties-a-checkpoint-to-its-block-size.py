import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, block_size, persistent):
        super().__init__()
        self.proj = nn.Linear(2, 2)
        mask = torch.ones(block_size, block_size).tril()
        self.register_buffer("mask", mask, persistent=persistent)


for persistent in (True, False):
    state = Attention(8, persistent).state_dict()
    try:
        Attention(4, persistent).load_state_dict(state)
        print("persistent:", persistent, "fits")
    except RuntimeError as error:
        print("persistent:", persistent, str(error).splitlines()[1].strip()[:30])
