import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
model(torch.ones(1, 2))
print("without a hook: fine")

model[0].register_full_backward_hook(lambda *_: None)
try:
    model(torch.ones(1, 2))
except RuntimeError as error:
    # torch 2.11 says BackwardHookFunctionBackward
    print(f"{type(error).__name__}: {error}".replace("FunctionBackward", "Function"))
