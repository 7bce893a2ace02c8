from torch import nn


def tell(module, name, value):
    print(f"{type(module).__name__:11} files {type(value).__name__:11} as {name}")


hooks = nn.modules.module
with (
    hooks.register_module_parameter_registration_hook(tell),
    hooks.register_module_buffer_registration_hook(tell),
    hooks.register_module_module_registration_hook(tell),
):
    nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))


def freeze(module, name, parameter):
    return nn.Parameter(parameter.detach(), requires_grad=False)


with hooks.register_module_parameter_registration_hook(freeze):
    layer = nn.Linear(2, 2)
print("asks for a gradient:", layer.weight.requires_grad)
