import sys

import torch
from torch import nn


def module_calls(function):
    calls = []
    sys.setprofile(lambda frame, event, _: event == "call" and calls.append(frame.f_code.co_name))
    function()
    sys.setprofile(None)
    return calls.count("_call_impl")


model = nn.Sequential(*[nn.Linear(2, 2) for _ in range(10)])
compiled = torch.compile(model, backend="eager")
x = torch.ones(1, 2)
compiled(x)  # 第一次调用时编译
print("as it is:", module_calls(lambda: model(x)))
print("compiled:", module_calls(lambda: compiled(x)))
