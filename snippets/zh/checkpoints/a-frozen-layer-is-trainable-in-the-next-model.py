from torch import nn


def build():
    return nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))


trained = build()
trained[0].requires_grad_(False)
print("saved from: ", [p.requires_grad for p in trained.parameters()])
for assign in (False, True):
    model = build()
    model.load_state_dict(trained.state_dict(), assign=assign)
    print("loaded into:", [p.requires_grad for p in model.parameters()])
