from torch import nn


class Block(nn.Module):
    def forward(self, x, mask=None):
        return f"x={x} mask={mask}"


def double_mask(module, args, kwargs):
    return args, {**kwargs, "mask": kwargs["mask"] * 2}


def look(module, args, kwargs, output):
    print("args:", args, "kwargs:", kwargs)


block = Block()
block.register_forward_pre_hook(double_mask, with_kwargs=True)
block.register_forward_hook(look, with_kwargs=True)
print(block(1, mask=2))
