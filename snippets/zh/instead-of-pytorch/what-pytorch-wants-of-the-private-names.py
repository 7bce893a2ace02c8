from torch import nn

module = nn.Module()
for name in ("_parameters", "_buffers", "_modules"):
    print(name, "is a dict:", type(getattr(module, name)) is dict)
public = [name for name in vars(module) if name[0] != "_"]
print(len(vars(module)), "fields, of which a program should use:", public)
print(nn.Module.__mro__ == (nn.Module, object))
print(nn.Module.__call__ is nn.Module._wrapped_call_impl)
print("forward" in nn.Module.__annotations__, "forward" in vars(nn.Module))
