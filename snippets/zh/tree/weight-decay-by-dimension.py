import torch
from torch import nn


class GPT(nn.Module):
    def __init__(self, vocab_size=5, size=4, block_size=3):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, size)
        self.wpe = nn.Embedding(block_size, size)
        self.ln = nn.LayerNorm(size)
        self.fc = nn.Linear(size, size)
        self.lm_head = nn.Linear(size, vocab_size, bias=False)
        self.wte.weight = self.lm_head.weight

    def configure_optimizers(self, weight_decay):
        parameters = {name: p for name, p in self.named_parameters() if p.requires_grad}
        decayed = {name: p for name, p in parameters.items() if p.dim() >= 2}
        spared = {name: p for name, p in parameters.items() if p.dim() < 2}
        for kind, group in (("decayed", decayed), ("spared", spared)):
            numbers = sum(p.numel() for p in group.values())
            print(f"{kind:8}{len(group)} tensors, {numbers:2} numbers: {list(group)}")
        groups = [
            {"params": list(decayed.values()), "weight_decay": weight_decay},
            {"params": list(spared.values()), "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(groups, lr=1e-3)


model = GPT()
optimizer = model.configure_optimizers(weight_decay=0.1)
print("in groups:", sum(len(group["params"]) for group in optimizer.param_groups))
print("in model: ", len(list(model.parameters())))
