import warnings

import torch
from torch import nn

here = torch.get_default_device()
with torch.device("meta"):
    model = nn.Linear(100_000, 100_000)  # 要是有数值，就是 40 GB
print("shape:", tuple(model.weight.shape), "on", model.weight.device)

with torch.device("meta"):
    model = nn.Linear(2, 2)
try:
    model.to(here)
except NotImplementedError as error:
    print("to():", str(error).split(";")[0])

checkpoint = nn.Linear(2, 2).state_dict()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model.load_state_dict(checkpoint)
print("load, copying: still meta:", model.weight.is_meta, "| warnings:", len(caught))
model.load_state_dict(checkpoint, assign=True)
print("load, assigning: still meta:", model.weight.is_meta)

with torch.device("meta"):
    model = nn.Linear(2, 2)
model.to_empty(device=here)
model.reset_parameters()  # 内存里原来不管有什么，都换掉
print("to_empty: still meta:", model.weight.is_meta)
