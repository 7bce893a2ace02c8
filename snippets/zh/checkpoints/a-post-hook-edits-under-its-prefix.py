from torch import nn


def halve(module, state_dict, prefix, local_metadata):
    for key, value in state_dict.items():
        if key.startswith(prefix):
            state_dict[key] = value.half()


model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))
model[1].register_state_dict_post_hook(halve)
for key, value in model.state_dict().items():
    print(key, value.dtype)
