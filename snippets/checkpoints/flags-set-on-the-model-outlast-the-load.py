from torch import nn


def build():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    model[0].requires_grad_(False)  # wherever the model is built
    return model


trained = build()
for assign in (False, True):
    model = build()
    model.load_state_dict(trained.state_dict(), assign=assign)
    print("loaded into:", [p.requires_grad for p in model.parameters()])
