import torch
from torch import nn

model = nn.Linear(2, 2)
for cast in (model.to, model.type):
    try:
        cast(torch.int64)
    except (TypeError, RuntimeError) as error:
        print(f"{type(error).__name__}: {error}")
