import warnings

import torch
from torch import nn


class AsDict(nn.Module):
    def forward(self, x):
        return {"y": x * 2}


fired = []
layer, x = AsDict(), torch.tensor(1.0, requires_grad=True)
layer.register_full_backward_hook(lambda *_: fired.append("hook"))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    layer(x)["y"].backward()
print("x.grad", x.grad.item(), "fired", fired)
print(str(caught[0].message).split(" but ")[0])
