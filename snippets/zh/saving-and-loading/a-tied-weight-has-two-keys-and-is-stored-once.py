import io

import torch
from torch import nn

model = nn.ModuleDict(
    {"wte": nn.Embedding(1000, 8), "head": nn.Linear(8, 1000, bias=False)}
)
model["head"].weight = model["wte"].weight
state = model.state_dict()
print("parameters:", [name for name, _ in model.named_parameters()])
print("keys:      ", list(state))

for how, tensors in (
    ("shared", state),
    ("cloned", {name: tensor.clone() for name, tensor in state.items()}),
):
    file = io.BytesIO()
    torch.save(tensors, file)
    matrices = round(len(file.getvalue()) / state["wte.weight"].nbytes)
    print(f"{how}: {matrices} in the file")
