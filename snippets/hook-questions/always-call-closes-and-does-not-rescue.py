from torch import nn


class Fails(nn.Module):
    def forward(self, x):
        raise ValueError("no such token")


def stop(module, args, output):
    print("timer stopped, output", output)
    return "a default instead"


layer = Fails()
layer.register_forward_pre_hook(lambda module, args: print("timer started"))
layer.register_forward_hook(stop, always_call=True)
try:
    print("returned", layer("x"))
except ValueError as error:
    print(f"{type(error).__name__}: {error}")
