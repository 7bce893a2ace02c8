import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(2, 2, bias=False)
        self.register_buffer("frequencies", torch.empty(2), persistent=False)
        self.reset_buffers()

    def reset_buffers(self, device=None):
        self.frequencies = 1.0 / 100 ** (torch.arange(2, device=device) / 2)


trained = Rotary()
with torch.device("meta"):
    model = Rotary()
print(model.load_state_dict(trained.state_dict(), assign=True))
print("weight on meta:", model.project.weight.is_meta)
print("frequencies on meta:", model.frequencies.is_meta)

model.reset_buffers(device=model.project.weight.device)
print([round(frequency, 2) for frequency in model.frequencies.tolist()])
