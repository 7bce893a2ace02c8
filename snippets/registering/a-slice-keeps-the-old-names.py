from torch import nn

net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
tail = net[2:]
print("keys:", list(tail.state_dict()), " same layer:", tail[0] is net[2])
try:
    nn.Sequential(nn.Linear(2, 1)).load_state_dict(tail.state_dict())
except RuntimeError as error:
    print(f"{type(error).__name__}: {error}".expandtabs(4))
