from torch import nn

model = nn.Linear(1, 1)
nn.init.constant_(model.weight, 1.0)
best = model.state_dict()
shallow = best.copy()
nn.init.constant_(model.weight, 9.0)  # training goes on, and gets worse

model.load_state_dict(best)
print("the best weight was 1.0, restored:", model.weight.item())
print("a shallow copy holds", shallow["weight"].item())
