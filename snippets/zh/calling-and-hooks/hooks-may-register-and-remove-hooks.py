from torch import nn

layer = nn.Identity()
seen = []


def once(module, args, result):
    seen.append("once")
    handle.remove()
    module.register_forward_hook(lambda *_: seen.append("late"))


layer.register_forward_pre_hook(lambda module, args: seen.append("pre"))
handle = layer.register_forward_hook(once)
layer.register_forward_hook(lambda *_: seen.append("after"))

layer("first call")
print(seen)
seen.clear()
layer("second call")
print(seen)
