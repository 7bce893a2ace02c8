import pickle
import pickletools

from torch import nn

data = pickle.dumps(nn.Sequential(nn.ReLU(), nn.Dropout()), protocol=2)
for opcode, argument, _ in pickletools.genops(data):
    if opcode.name == "GLOBAL" and argument.startswith("torch"):
        print(argument)
print(b"def forward" in data)

try:
    pickle.loads(data.replace(b"Dropout", b"DropOut"))
except AttributeError:
    print("a class that was renamed is not found again")
