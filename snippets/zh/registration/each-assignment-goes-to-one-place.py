import torch
from torch import nn


class GPT(nn.Module):
    def __init__(self, vocab_size, n_embd, block_size):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("mask", torch.ones(block_size, block_size).tril())
        self.last = torch.zeros(n_embd)
        self.n_embd = n_embd


model = GPT(vocab_size=10, n_embd=4, block_size=3)
for registry in ("_parameters", "_buffers", "_modules"):
    print(f"{registry:12}", list(getattr(model, registry)))
print("not filed   ", [name for name in vars(model) if not name.startswith("_")])
print("in the child", list(model.wte._parameters))
