import torch
from torch import nn


class Spectrum(nn.Module):
    def __init__(self, persistent):
        super().__init__()
        self.register_buffer("window", torch.ones(2), persistent=persistent)


old, new = Spectrum(persistent=True), Spectrum(persistent=False)
try:
    new.load_state_dict(old.state_dict())
except RuntimeError as error:
    for line in f"{type(error).__name__}: {error}".splitlines():
        print(line.strip())
print("saved:", list(new.state_dict()), "moved:", new.half().window.dtype)
