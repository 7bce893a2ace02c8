from torch import nn


def tell(module, state_dict, prefix, local_metadata, strict, *lists):
    print("the hook is told strict:", strict)


layer = nn.Linear(1, 1)
layer.register_load_state_dict_pre_hook(tell)
for strict in (True, False):
    layer.load_state_dict(layer.state_dict(), strict=strict)
