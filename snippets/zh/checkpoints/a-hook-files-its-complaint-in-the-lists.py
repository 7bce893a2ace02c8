from torch import nn


def want_scale(module, state_dict, prefix, local_metadata, strict, missing, *lists):
    if prefix + "scale" not in state_dict:
        missing.append(prefix + "scale")


model = nn.Sequential(nn.Linear(1, 1))
model[0].register_load_state_dict_pre_hook(want_scale)
print(model.load_state_dict(model.state_dict(), strict=False))
try:
    model.load_state_dict(model.state_dict())
except RuntimeError as error:
    for line in f"{type(error).__name__}: {error}".splitlines():
        print(line.strip())
