from torch import nn


class Block(nn.Module):
    def forward(self, x, mask=None):
        return f"x={x} mask={mask}"


block = Block()
with block.register_forward_pre_hook(lambda module, args: print("args:", args)):
    block(1, mask=2)

block.register_forward_pre_hook(lambda module, args, kwargs: args, with_kwargs=True)
try:
    block(1, mask=2)
except RuntimeError as error:
    print(f"{type(error).__name__}: {error}")
