import torch
from torch import nn

turned = ("c_attn.weight", "c_proj.weight", "c_fc.weight")  # c_proj：attn、mlp 都有
published = {
    "h.0.attn.bias": torch.ones(1, 1, 3, 3).tril(),  # 因果掩码
    "h.0.attn.c_attn.weight": torch.arange(12.0).view(2, 6),  # (in, out)
    "h.0.attn.c_proj.weight": torch.arange(4.0).view(2, 2),  # (in, out)，而且是方阵
    "ln_f.weight": torch.full((2,), 4.0),
}
attention = nn.Module()
attention.c_attn = nn.Linear(2, 6, bias=False)
attention.c_proj = nn.Linear(2, 2, bias=False)
attention.register_buffer("bias", torch.ones(1, 1, 3, 3).tril())
blocks = nn.ModuleList([nn.ModuleDict({"attn": attention})])
model = nn.ModuleDict({"h": blocks, "ln_f": nn.LayerNorm(2, bias=False)})

state = model.state_dict()
wanted = {key for key in state if not key.endswith(".attn.bias")}
assert wanted == {key for key in published if not key.endswith(".attn.bias")}
with torch.no_grad():
    for key in wanted:
        value = published[key].t() if key.endswith(turned) else published[key]
        assert state[key].shape == value.shape, key
        state[key].copy_(value)
print("c_attn, row 1:", attention.c_attn.weight[1].tolist())
print("c_proj, row 1:", attention.c_proj.weight[1].tolist())

state["h.0.attn.c_proj.weight"].copy_(published["h.0.attn.c_proj.weight"])
print("not turned, no error:", attention.c_proj.weight[1].tolist())
