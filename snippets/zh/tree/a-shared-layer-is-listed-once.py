from torch import nn

shared = nn.Linear(2, 2, bias=False)
net = nn.Sequential(shared, nn.ReLU(), nn.Sequential(shared))

print("modules   ", [name for name, _ in net.named_modules()])
print("parameters", [name for name, _ in net.named_parameters()])
print("all names ", [name for name, _ in net.named_parameters(remove_duplicate=False)])
print("state_dict", list(net.state_dict()))

visits = []
net.apply(visits.append)
print("apply     ", [type(module).__name__ for module in visits])
