import sys

import torch
from torch import nn


def python_calls(function):
    calls = []
    sys.setprofile(lambda frame, event, _: event == "call" and calls.append(frame.f_code.co_name))
    function()
    sys.setprofile(None)
    return calls[1:]


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.factor = 3


scale = Scale()
print("scale.factor", python_calls(lambda: scale.factor))
print("scale.weight", python_calls(lambda: scale.weight))
print("factor = 4  ", python_calls(lambda: setattr(scale, "factor", 4))[:1])
