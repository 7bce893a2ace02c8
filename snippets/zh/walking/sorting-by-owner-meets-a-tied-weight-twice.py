from torch import nn

wte, norm, head = nn.Embedding(5, 4), nn.LayerNorm(4), nn.Linear(4, 5, bias=False)
head.weight = wte.weight
model = nn.ModuleDict({"wte": wte, "norm": norm, "head": head})

decay, no_decay = set(), set()
for path, owner in model.named_modules():
    for name, _ in owner.named_parameters(recurse=False):
        (decay if isinstance(owner, nn.Linear) else no_decay).add(f"{path}.{name}")

known = dict(model.named_parameters())
print("to decay:", decay)
try:
    print([known[name] for name in decay])
except KeyError as error:
    print(f"{type(error).__name__}: {error}")
print("the same weight:", model.head.weight is known["wte.weight"])
print("not to decay:", sorted(no_decay))
