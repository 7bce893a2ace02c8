import math
from dataclasses import dataclass, replace

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Config:
    """Hold the sizes of a GPT; these are those of GPT-2, the smallest one."""

    vocab_size: int = 50257
    block_size: int = 1024  # 最多能往回看多少个 token
    n_layer: int = 12
    n_head: int = 12
    n_embd: int = 768
    dropout: float = 0.0

    def __post_init__(self):
        if self.n_embd % self.n_head:
            sizes = f"n_embd={self.n_embd} and n_head={self.n_head}"
            raise ValueError(f"the heads share n_embd evenly: got {sizes}")


class CausalSelfAttention(nn.Module):
    """Let each token gather from those before it, in several heads at once."""

    def __init__(self, config):
        super().__init__()
        self.n_head = config.n_head
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.attn_dropout = nn.Dropout(config.dropout)
        self.resid_dropout = nn.Dropout(config.dropout)
        size = (config.block_size, config.block_size)
        past = torch.ones(size, dtype=torch.bool).tril()
        self.register_buffer("mask", past, persistent=False)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (
            part.view(B, T, self.n_head, -1).transpose(1, 2)  # (B, nh, T, hs)
            for part in self.c_attn(x).chunk(3, dim=-1)
        )
        scores = q @ k.mT / math.sqrt(q.shape[-1])  # (B, nh, T, T)
        scores = scores.where(self.mask[:T, :T], -torch.inf)
        weights = self.attn_dropout(scores.softmax(dim=-1))
        heads = weights @ v  # (B, nh, T, hs)
        merged = heads.transpose(1, 2).reshape(B, T, C)
        return self.resid_dropout(self.c_proj(merged))


class MLP(nn.Module):
    """Let each token think by itself, in four times the width."""

    def __init__(self, config):
        super().__init__()
        self.c_fc = nn.Linear(config.n_embd, 4 * config.n_embd)
        self.gelu = nn.GELU(approximate="tanh")  # 与 GPT-2 相同
        self.c_proj = nn.Linear(4 * config.n_embd, config.n_embd)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x):
        return self.dropout(self.c_proj(self.gelu(self.c_fc(x))))


class Block(nn.Module):
    """Add what attention says to each token, then what the MLP says."""

    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd)
        self.mlp = MLP(config)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """Say how likely each token is to come next, after each token of a text."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.block_size, config.n_embd)
        self.drop = nn.Dropout(config.dropout)
        self.h = nn.ModuleList(Block(config) for _ in range(config.n_layer))
        self.ln_f = nn.LayerNorm(config.n_embd)
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.lm_head.weight = self.wte.weight

        self.apply(init_weights)
        for name, parameter in self.named_parameters():
            if name.endswith("c_proj.weight"):  # 共有 2 * n_layer 个加在一起
                std = 0.02 / math.sqrt(2 * config.n_layer)
                nn.init.normal_(parameter, std=std)

    def forward(self, tokens, targets=None):
        T = tokens.shape[1]
        if T > self.config.block_size:
            raise ValueError(f"{T} tokens; block_size is {self.config.block_size}")
        places = torch.arange(T, device=tokens.device)
        x = self.drop(self.wte(tokens) + self.wpe(places))  # (B, T, n_embd)
        for block in self.h:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))  # (B, T, vocab_size)
        if targets is None:
            return logits, None
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return logits, loss

    def configure_optimizers(self, lr, weight_decay=0.1, betas=(0.9, 0.95)):
        """Return an AdamW that decays what is multiplied: matrices only."""
        parameters = [p for p in self.parameters() if p.requires_grad]
        groups = [
            {
                "params": [p for p in parameters if p.dim() >= 2],
                "weight_decay": weight_decay,
            },
            {
                "params": [p for p in parameters if p.dim() < 2],
                "weight_decay": 0.0,
            },
        ]
        return torch.optim.AdamW(groups, lr=lr, betas=betas)

    def crop_block_size(self, block_size):
        """Forget the places after the first block_size ones."""
        if not 0 < block_size <= self.config.block_size:
            raise ValueError(f"from {self.config.block_size} to {block_size}")
        self.config = replace(self.config, block_size=block_size)
        kept = self.wpe.weight.detach()[:block_size].clone()
        self.wpe.weight = nn.Parameter(kept)
        self.wpe.num_embeddings = block_size
        for block in self.h:
            block.attn.mask = block.attn.mask[:block_size, :block_size].clone()

    @torch.no_grad()
    def generate(self, tokens, count, temperature=1.0, top_k=None):
        """Return tokens with `count` more of them, drawn one by one."""
        for _ in range(count):
            logits, _ = self(tokens[:, -self.config.block_size :])
            logits = logits[:, -1] / temperature  # (B, vocab_size)
            if top_k is not None:
                best = logits.topk(min(top_k, logits.shape[-1])).values
                logits = logits.masked_fill(logits < best[:, -1:], -torch.inf)
            drawn = torch.multinomial(logits.softmax(dim=-1), 1)  # (B, 1)
            tokens = torch.cat([tokens, drawn], dim=1)
        return tokens


def init_weights(module):
    """Initialise one Module as GPT-2 does; meant for `apply`."""
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)
