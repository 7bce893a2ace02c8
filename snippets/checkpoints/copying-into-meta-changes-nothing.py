import warnings

import torch
from torch import nn

checkpoint = nn.Linear(1, 1, bias=False).state_dict()
with torch.device("meta"):
    model = nn.Linear(1, 1, bias=False)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(model.load_state_dict(checkpoint))
for warning in caught:
    print(f"{warning.category.__name__}: {warning.message}")
print("still on meta:", model.weight.is_meta)
