class Module:
    def __init__(self):
        self.pre_hooks, self.hooks = {}, {}

    def __call__(self, *args):
        for hook in self.pre_hooks.values():
            new_args = hook(self, args)
            args = args if new_args is None else new_args
        result = self.forward(*args)
        for hook in self.hooks.values():
            new_result = hook(self, args, result)
            result = result if new_result is None else new_result
        return result


class Double(Module):
    def forward(self, x):
        return 2 * x


double = Double()
double.pre_hooks["shift"] = lambda module, args: (args[0] + 1,)
double.hooks["look"] = lambda module, args, result: print("saw", args, "->", result)
double.hooks["negate"] = lambda module, args, result: -result
print(double(10), double.forward(10))
