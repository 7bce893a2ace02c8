import torch
from torch import nn


def checkpoint_size(persistent):
    layers = nn.ModuleList()
    for _ in range(12):
        layer = nn.Module()
        mask = torch.empty(1, 1, 1024, 1024, device="meta")
        layer.register_buffer("bias", mask, persistent=persistent)
        layers.append(layer)
    state = layers.state_dict()
    return len(state), sum(tensor.nbytes for tensor in state.values())


for persistent in (True, False):
    keys, size = checkpoint_size(persistent)
    print(f"persistent={persistent}: {keys} keys, {size / 2**20:.0f} MiB")
