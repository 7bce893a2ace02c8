import copy

import torch
from torch import nn

layer, seen, x = nn.Identity(), [], torch.zeros(1)


def note(module, args, result):
    seen.append(module)


handles = [layer.register_forward_hook(note) for _ in range(3)]  # 同一个单元格跑 3 次
layer(x)
print("registered three times:", len(seen))

twin = copy.deepcopy(layer)
for handle in handles:
    handle.remove()
    handle.remove()  # 再移除一次也没事

seen.clear()
layer(x)
print("removed:", len(seen))
twin(x)
print("the copy made before:", len(seen))
print("given the copy:", all(module is twin for module in seen))
print("in the state_dict:", len(twin.state_dict()))
