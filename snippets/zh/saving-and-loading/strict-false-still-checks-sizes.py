import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Linear(2, 2, bias=False)
        self.head = nn.Linear(2, classes, bias=False)
        self.tail = nn.Linear(1, 1, bias=False)


pretrained, model = Net(classes=3), Net(classes=5)
nn.init.constant_(pretrained.body.weight, 7.0)
nn.init.constant_(pretrained.tail.weight, 7.0)
checkpoint = pretrained.state_dict()
try:
    model.load_state_dict(checkpoint, strict=False)
except RuntimeError as error:
    print(str(error).split("\n")[1].split(":")[0].strip())
print("body before the error:", model.body.weight.unique().tolist())
print("tail before the error:", model.tail.weight.unique().tolist())

current = model.state_dict()
fitting = {
    name: value
    for name, value in checkpoint.items()
    if current[name].shape == value.shape
}
print(model.load_state_dict(fitting, strict=False))
