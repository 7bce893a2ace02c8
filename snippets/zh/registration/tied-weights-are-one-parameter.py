import torch
from torch import nn


class GPT(nn.Module):
    def __init__(self, tied):
        super().__init__()
        self.wte = nn.Embedding(10, 4)
        self.lm_head = nn.Linear(4, 10, bias=False)
        nn.init.ones_(self.wte.weight)
        nn.init.ones_(self.lm_head.weight)
        if tied:
            self.wte.weight = self.lm_head.weight


tied, free = GPT(tied=True), GPT(tied=False)
print("one object:", tied.wte.weight is tied.lm_head.weight)
print("to train:", [name for name, _ in tied.named_parameters()])
print("to save: ", list(tied.state_dict()))

for model in (tied, free):
    model.lm_head(model.wte(torch.tensor([0, 1]))).sum().backward()
both_uses = free.wte.weight.grad + free.lm_head.weight.grad
print("gradient of both uses:", torch.equal(tied.wte.weight.grad, both_uses))
