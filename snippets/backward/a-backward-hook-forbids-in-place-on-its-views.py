import torch
from torch import nn


class Keep(nn.Module):
    def forward(self, x):
        self.got = x
        return x * 2


def attempt(label, in_place):
    try:
        in_place()
        print(f"  {label} is fine")
    except RuntimeError as error:
        # torch 2.11 says BackwardHookFunctionBackward
        print(f"  {label}:", str(error).split(".")[0].replace("FunctionBackward", "Function"))


layer, x = Keep(), torch.ones(1, requires_grad=True)
relu = nn.ReLU(inplace=True)


def ask(label):
    y = layer(x)
    print(label, "- forward got x itself:", layer.got is x)
    print("  the same memory:", layer.got.data_ptr() == x.data_ptr())
    attempt("y.add_(1)", lambda: y.add_(1))
    attempt("relu(x * 1)", lambda: relu(x * 1))


ask("no hook")
with layer.register_full_backward_hook(lambda *_: None):
    with relu.register_full_backward_hook(lambda *_: None):
        ask("a hook")
