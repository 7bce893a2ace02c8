from torch import nn


def join(path, name):
    return f"{path}.{name}" if path else name


def named_modules(module, path="", seen=None):
    seen = set() if seen is None else seen
    if module not in seen:
        seen.add(module)
        yield path, module
        for name, child in module._modules.items():
            if child is not None:
                yield from named_modules(child, join(path, name), seen)


def named_parameters(module):
    seen = set()
    for path, owner in named_modules(module):
        for name, parameter in owner._parameters.items():
            if parameter is not None and parameter not in seen:
                seen.add(parameter)
                yield join(path, name), parameter


net = nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16)
modules, parameters = list(named_modules(net)), list(named_parameters(net))
print(len(modules), "Modules:", modules == list(net.named_modules()))
names = [name for name, _ in net.named_parameters()]
print(len(parameters), "Parameters:", [name for name, _ in parameters] == names)
