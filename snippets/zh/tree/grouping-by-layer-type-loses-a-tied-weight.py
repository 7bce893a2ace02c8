from torch import nn

wte, ln, head = nn.Embedding(5, 4), nn.LayerNorm(4), nn.Linear(4, 5, bias=False)
wte.weight = head.weight
model = nn.ModuleDict({"wte": wte, "ln": ln, "head": head})

decayed, spared = set(), set()
for path, module in model.named_modules():
    for name, _ in module.named_parameters(recurse=False):
        spare = name == "bias" or isinstance(module, nn.Embedding | nn.LayerNorm)
        (spared if spare else decayed).add(f"{path}.{name}")

known = dict(model.named_parameters())
print("decayed:", sorted(decayed))
print("spared: ", sorted(spared))
try:
    print([known[name] for name in decayed])
except KeyError as error:
    print("no Parameter has the name", error)
