import io

import torch
from torch import nn


class Words(nn.Embedding):
    def __init__(self, words):
        super().__init__(3, 2)
        self.words = words

    def get_extra_state(self):
        return {"words": self.words}

    def set_extra_state(self, state):
        self.words = state["words"]


trained = nn.Sequential(Words(["to", "be", "or"]))
print(list(trained.state_dict()))
file = io.BytesIO()
torch.save(trained.state_dict(), file)
file.seek(0)

model = nn.Sequential(Words([]))
model.load_state_dict(torch.load(file, weights_only=True))
print(model[0].words)
try:
    model.load_state_dict(nn.Sequential(nn.Embedding(3, 2)).state_dict())
except RuntimeError as error:
    print(str(error).split("\n")[1].strip())
