from torch import nn

model = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1), nn.ReLU())
print("device:", hasattr(model, "device"), "| dtype:", hasattr(model, "dtype"))

model[1].to("meta")
print("devices:", len({parameter.device for parameter in model.parameters()}))
print("the first is on meta:", next(model.parameters()).is_meta)

try:
    next(model[2].parameters())
except StopIteration:
    print("ReLU: no Parameter to ask")
