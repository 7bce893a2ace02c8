from torch import nn

shared = nn.Linear(2, 2, bias=False)
net = nn.Sequential(shared, nn.Sequential(shared, shared))
draws = []


def init_weights(module):
    if isinstance(module, nn.Linear):
        draws.append(module)


net.apply(init_weights)
print("apply:  ", len(draws))
print("modules:", sum(module is shared for module in net.modules()))
