import io
import pickle

import torch
from torch import nn


def attempt(save):
    try:
        save()
        return "saved"
    except (pickle.PicklingError, AttributeError):
        return "refused"


model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
print("no hook:   ", attempt(lambda: pickle.dumps(model)))
handle = model[0].register_forward_hook(lambda module, args, output: None)
print("a lambda:  ", attempt(lambda: pickle.dumps(model)))
print("state_dict:", attempt(lambda: torch.save(model.state_dict(), io.BytesIO())))
handle.remove()
print("removed:   ", attempt(lambda: pickle.dumps(model)))
