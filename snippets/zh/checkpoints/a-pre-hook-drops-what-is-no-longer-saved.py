import torch
from torch import nn


def drop_window(module, state_dict, prefix, *rest):
    state_dict.pop(prefix + "window", None)


class Spectrum(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.ones(2), persistent=False)
        self.register_load_state_dict_pre_hook(drop_window)


model = nn.Sequential(Spectrum())
print(model.load_state_dict({"0.window": torch.zeros(2)}))
print(model.load_state_dict({}))
print("the window is the module's own:", model[0].window.tolist())
