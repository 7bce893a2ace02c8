from torch import nn

pretrained = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 3))
model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 5))
nn.init.constant_(pretrained[0].weight, 7.0)
try:
    model.load_state_dict(pretrained.state_dict(), strict=False)
except RuntimeError as error:
    for line in f"{type(error).__name__}: {error}".splitlines():
        print(line.strip())
print("the body, after the error:", model[0].weight.unique().tolist())
