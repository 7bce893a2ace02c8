import torch
from torch import nn


class Quantized(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", None)


calibrated, fresh = Quantized(), Quantized()
calibrated.scale = torch.tensor([0.5, 2.0])
print("saved:", list(calibrated.state_dict()), list(fresh.state_dict()))
try:
    fresh.load_state_dict(calibrated.state_dict())
except RuntimeError as error:
    for line in f"{type(error).__name__}: {error}".splitlines():
        print(line.strip())
