import torch
from torch import nn


class Keep(nn.Module):
    def forward(self, x):
        self.got = x
        return x * 2


layer, x = Keep(), torch.ones(1, requires_grad=True)


def ask(label):
    y = layer(x)
    print(label, "- forward got x itself:", layer.got is x)
    print("  the same memory:", layer.got.data_ptr() == x.data_ptr())
    try:
        y.add_(1)
        print("  y.add_(1) is fine")
    except RuntimeError as error:
        print("  " + str(error).split(".")[0])


ask("no hook")
with layer.register_full_backward_hook(lambda *_: None):
    ask("a hook")
