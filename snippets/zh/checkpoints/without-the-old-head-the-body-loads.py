from torch import nn

pretrained = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 3))
model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 5))
checkpoint = pretrained.state_dict()
del checkpoint["1.weight"], checkpoint["1.bias"]  # 旧的 head
print(model.load_state_dict(checkpoint, strict=False))
