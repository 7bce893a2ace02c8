from torch import nn

net = nn.Module()
net.norm = nn.ModuleDict({"1": nn.LayerNorm(2)})
net.parts = nn.ModuleDict({"block.0".replace(".", "_"): nn.Linear(2, 2)})
print(list(net.state_dict()))
