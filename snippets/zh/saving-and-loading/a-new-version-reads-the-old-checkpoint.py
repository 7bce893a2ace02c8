import torch
from torch import nn


class OldScale(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_gain = nn.Parameter(torch.zeros(2))


class Scale(nn.Module):
    _version = 2  # 版本 1 存的是对数

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.full((2,), 5.0))

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        if local_metadata.get("version", 1) < 2 and prefix + "log_gain" in state_dict:
            state_dict[prefix + "gain"] = state_dict.pop(prefix + "log_gain").exp()
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


old = nn.Sequential(nn.Linear(2, 2), OldScale()).state_dict()
model = nn.Sequential(nn.Linear(2, 2), Scale())
print(old._metadata["1"], "->", model.state_dict()._metadata["1"])
print(model.load_state_dict(old))
print("gain:", model[1].gain.tolist())
print("the caller's dictionary is whole:", "1.log_gain" in old)
