from torch import nn


class Block(nn.Module):
    def forward(self, x, *, mask=None):
        return f"x={x} mask={mask}"


def plain(module, args, result):
    print("plain:      ", args)


def complete(module, args, kwargs, result):
    print("with kwargs:", args, kwargs)


def no_mask(module, args, kwargs):
    return args, {**kwargs, "mask": None}


block = Block()
block.register_forward_hook(plain)
block.register_forward_hook(complete, with_kwargs=True)
print(block(1, mask=2))
with block.register_forward_pre_hook(no_mask, with_kwargs=True):
    print(block(1, mask=2))

block.register_forward_pre_hook(lambda module, args, kwargs: (9,), with_kwargs=True)
try:
    block(1, mask=2)
except RuntimeError as error:
    print(error)
