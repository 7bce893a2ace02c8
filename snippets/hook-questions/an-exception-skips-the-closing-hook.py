from torch import nn


class Fails(nn.Module):
    def forward(self, x):
        raise ValueError("no such token")


layer = Fails()
layer.register_forward_pre_hook(lambda module, args: print("timer started"))
layer.register_forward_hook(lambda module, args, output: print("timer stopped"))
try:
    layer("x")
except ValueError as error:
    print(f"{type(error).__name__}: {error}")
