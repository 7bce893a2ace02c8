import torch
from torch import nn


def own(module):
    tensors = {**module._parameters, **module._buffers}
    return {name: tensor for name, tensor in tensors.items() if tensor is not None}


def save(module, prefix=""):
    state = {prefix + name: tensor.detach() for name, tensor in own(module).items()}
    for name, child in module._modules.items():
        state |= save(child, prefix + name + ".")
    return state


@torch.no_grad()
def load(module, state, prefix=""):
    for name, tensor in own(module).items():
        tensor.copy_(state[prefix + name])
    for name, child in module._modules.items():
        load(child, state, prefix + name + ".")


model, twin = (nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)) for _ in range(2))
state = save(model)
print("\n".join(state))
print("the keys of PyTorch's state_dict:", list(state) == list(model.state_dict()))
load(twin, state)
pairs = zip(model.state_dict().values(), twin.state_dict().values())
print("loaded:", all(torch.equal(mine, theirs) for mine, theirs in pairs))
