import warnings

import torch
from torch import nn

with torch.device("meta"):
    empty = nn.Linear(2, 2)
state = nn.Linear(2, 2).state_dict()

for action in ("always", "ignore"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        warnings.filterwarnings(action, module=r"torch\.nn\.modules\.module")
        empty.load_state_dict(state)
        print(action, len(caught))
