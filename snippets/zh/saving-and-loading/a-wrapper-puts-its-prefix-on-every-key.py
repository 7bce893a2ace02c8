import torch
from torch import nn
from torch.nn.modules.utils import consume_prefix_in_state_dict_if_present

model = nn.Sequential(nn.Linear(1, 1, bias=False))
nn.init.constant_(model[0].weight, 3.0)
print("compiled:", list(torch.compile(model).state_dict()))
state = nn.DataParallel(model).state_dict()
print("parallel:", list(state))

fresh = nn.Sequential(nn.Linear(1, 1, bias=False))
nn.init.zeros_(fresh[0].weight)
print(fresh.load_state_dict(state, strict=False))
print("strict=False loaded", fresh[0].weight.item())

consume_prefix_in_state_dict_if_present(state, "module.")
print(fresh.load_state_dict(state), fresh[0].weight.item())
print("replace() cuts:", "submodule.weight".replace("module.", ""))

model.compile()  # 原地编译：没有包装器
print("compiled in place:", list(model.state_dict()))
