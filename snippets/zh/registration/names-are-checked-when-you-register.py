import torch
from torch import nn

module = nn.Module()
module.table = torch.zeros(2)
layer, tensor = nn.Linear(1, 1), torch.zeros(1)


def tell(register, name, value):
    try:
        register(name, value)
        print(f"{name!r} is fine")
    except (KeyError, TypeError) as error:
        print(f"{type(error).__name__}: {error.args[0]}")


tell(module.add_module, "0", layer)
tell(module.add_module, "norm.1", layer)
tell(module.register_buffer, "", tensor)
tell(module.register_parameter, 3, None)
tell(module.register_buffer, "table", tensor)
tell(module.register_buffer, "forward", tensor)
setattr(module, "norm.1", layer)
print(list(module._modules))
