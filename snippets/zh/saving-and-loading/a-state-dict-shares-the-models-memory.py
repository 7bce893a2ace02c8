import torch
from torch import nn

model = nn.Linear(1, 1)
nn.init.ones_(model.weight)
state = model.state_dict()
print("same object:", state["weight"] is model.weight)
print("same memory:", state["weight"].data_ptr() == model.weight.data_ptr())

with torch.no_grad():
    model.weight.add_(5)  # 训练一步
print("the state_dict says", state["weight"].item())

state["weight"].mul_(2)  # 反过来写
print("the model says", model.weight.item())

state["weight"] = torch.zeros(1, 1)  # 同一个键，换成另一个张量
print("the model still says", model.weight.item())
print("keep_vars:", model.state_dict(keep_vars=True)["weight"] is model.weight)
