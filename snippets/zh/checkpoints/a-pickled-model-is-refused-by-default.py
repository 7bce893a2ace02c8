import io
import pickle

import torch
from torch import nn

file = io.BytesIO()
torch.save(nn.Sequential(nn.Linear(1, 1)), file)  # 存的是模型本身
file.seek(0)
try:
    torch.load(file)
except pickle.UnpicklingError as error:
    message = str(error)
    print(f"{type(error).__name__}: {message[: message.index('.') + 1]}")
    print(message[message.index("WeightsUnpickler error") :].split(" by default")[0])
