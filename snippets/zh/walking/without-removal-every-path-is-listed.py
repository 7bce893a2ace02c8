from torch import nn

act = nn.ReLU()
net = nn.Sequential(nn.Linear(2, 2), act, nn.Sequential(nn.Linear(2, 2), act))
every = net.named_modules(remove_duplicate=False)
print("listed:", [name for name, module in every if module is act])

visits = []
net.apply(visits.append)
print("apply comes by:", sum(module is act for module in visits), "times")
