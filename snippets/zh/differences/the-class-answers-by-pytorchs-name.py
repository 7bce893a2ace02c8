import inspect

from torch import nn

print(nn.Module.__module__, nn.Module.__qualname__, type(nn.Module).__name__)
print(repr(nn.Module.register_forward_hook).split(" at ")[0])
for name in ("register_forward_hook", "load_state_dict", "named_parameters", "to"):
    print(name, list(inspect.signature(getattr(nn.Module, name)).parameters))
