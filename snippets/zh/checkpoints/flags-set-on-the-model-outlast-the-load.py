from torch import nn


def build():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    model[0].requires_grad_(False)  # 建模型的地方都会经过这里
    return model


trained = build()
for assign in (False, True):
    model = build()
    model.load_state_dict(trained.state_dict(), assign=assign)
    print("loaded into:", [p.requires_grad for p in model.parameters()])
