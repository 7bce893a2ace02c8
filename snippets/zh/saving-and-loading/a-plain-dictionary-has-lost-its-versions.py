from torch import nn

state = nn.BatchNorm1d(2).state_dict()
del state["num_batches_tracked"]
plain = dict(state)
print("equal keys:", list(plain) == list(state))
print("versions:  ", dict(state._metadata), getattr(plain, "_metadata", "none"))

for checkpoint in (plain, state):
    try:
        print(nn.BatchNorm1d(2).load_state_dict(checkpoint))
    except RuntimeError as error:
        print(str(error).split("\n")[1].strip())
