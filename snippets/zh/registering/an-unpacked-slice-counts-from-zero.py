from torch import nn

net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
tail = nn.Sequential(*net[2:])
print("keys:", list(tail.state_dict()), " same layer:", tail[0] is net[2])
print(nn.Sequential(nn.Linear(2, 1)).load_state_dict(tail.state_dict()))

print("list:", list(nn.ModuleList(net)[2:].state_dict()))
del net[1]
print("del: ", list(net.state_dict()))
