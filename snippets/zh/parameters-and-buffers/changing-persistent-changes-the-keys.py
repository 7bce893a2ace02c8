import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, persistent):
        super().__init__()
        self.project = nn.Linear(2, 2, bias=False)
        self.register_buffer("mask", torch.ones(2, 2).tril(), persistent=persistent)


before, after = Attention(persistent=True), Attention(persistent=False)
for model, checkpoint in ((after, before.state_dict()), (before, after.state_dict())):
    try:
        model.load_state_dict(checkpoint)
    except RuntimeError as error:
        print(str(error).split("\n")[1].strip())

result = after.load_state_dict(before.state_dict(), strict=False)
forgiven = {"mask"}
assert not result.missing_keys and set(result.unexpected_keys) <= forgiven, result
print("loaded, and nothing but", sorted(forgiven), "was left over")
