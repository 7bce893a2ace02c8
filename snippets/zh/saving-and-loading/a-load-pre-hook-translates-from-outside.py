import torch
from torch import nn


def accept_gamma_and_beta(module, state_dict, prefix, *rest):
    for old, new in (("gamma", "weight"), ("beta", "bias")):
        if prefix + old in state_dict:
            state_dict[prefix + new] = state_dict.pop(prefix + old)


published = {
    "0.weight": torch.ones(2, 2),
    "0.bias": torch.zeros(2),
    "1.gamma": torch.full((2,), 3.0),
    "1.beta": torch.zeros(2),
}
model = nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2))
for module in model.modules():
    if isinstance(module, nn.LayerNorm):
        module.register_load_state_dict_pre_hook(accept_gamma_and_beta)

print(model.load_state_dict(published))
print("gamma is the weight:", model[1].weight.tolist())
print("the caller's dictionary is whole:", "1.gamma" in published)
