from torch import nn

model = nn.Module()
model.encoder = nn.Linear(2, 2)
model.decoder = model.encoder
print(repr(model).count("Linear"))
print(sum(isinstance(module, nn.Linear) for module in model.modules()))
print([name for name, _ in model.named_parameters()])
