import copy

import torch
from torch import nn

model = nn.Linear(2, 2)
nn.init.constant_(model.weight, 0.1)  # 二进制无法精确表示
small = model.half()
print("different:", not torch.equal(model.weight.float(), small.weight.float()))

model = nn.Linear(2, 2)
nn.init.constant_(model.weight, 0.1)
small = copy.deepcopy(model).half()
print("copied first:", not torch.equal(model.weight, small.weight.float()))
print("the model is still", model.weight.dtype)
