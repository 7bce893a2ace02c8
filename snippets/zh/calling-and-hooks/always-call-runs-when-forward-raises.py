from torch import nn


class Fails(nn.Module):
    def forward(self, x):
        raise ValueError("no luck with " + x)


def close(module, args, result):
    print("closed with", result)
    return "rescued"


layer = Fails()
layer.register_forward_pre_hook(lambda module, args: print("opened"))
layer.register_forward_hook(lambda module, args, result: print("never printed"))
layer.register_forward_hook(close, always_call=True)
layer.register_forward_hook(lambda *seen: print("then saw", seen[-1]), always_call=True)

try:
    print("returned", layer("this"))
except ValueError as error:
    print("raised", error)
