"""Write random programs: a grammar of statements about Modules, and a writer that draws from it.

A template stands for a text. `{name}` in it is drawn from GRAMMAR, once in each template: `{name}` twice is the same
text twice, `{name2}` is another draw. `{m}`, `{t}`, `{h}`, `{s}` and `{y}` are variables that hold a Module, a tensor,
a handle, a state_dict and an output. A statement that begins with `m = ` makes such a variable: `{new}` in it.
"""

import collections
import random
import re
from dataclasses import dataclass

# What a variable holds if the expression meant for it raised, or before there is one.
OTHERWISE = {"m": "Net()", "t": "torch.zeros(2)", "h": "None", "s": "{}", "y": "torch.ones(2, 2)"}
NAMES = ["a", "b", "w", "0", "weight", "bias"]
MORE_NAMES = ["", "a.b", ".", "ü", "1", "forward", "training", "register_buffer", "T_destination", "_version", "broken"]
MORE_NAMES += ["shared", "None", "two words", "_buffers_", "extra", "call_super_init"]
METHODS = [
    *["__call__", "__delattr__", "__dir__", "__getattr__", "__getstate__", "__init__", "__repr__", "__setattr__"],
    *["__setstate__", "_apply", "_call_impl", "_get_backward_hooks", "_get_backward_pre_hooks", "_get_name"],
    *["_load_from_state_dict", "_maybe_warn_non_full_backward_hook", "_named_members", "_replicate_for_data_parallel"],
    *["_register_load_state_dict_pre_hook", "_register_state_dict_hook", "_save_to_state_dict", "_slow_forward"],
    *["_wrapped_call_impl", "add_module", "apply", "buffers", "children", "cpu", "cuda", "double", "eval"],
    *["extra_repr", "float", "forward", "get_buffer", "get_extra_state", "get_parameter", "get_submodule"],
    *["load_state_dict", "modules", "named_buffers", "named_children", "named_modules", "named_parameters"],
    *["parameters", "register_backward_hook", "register_buffer", "register_forward_hook"],
    *["register_forward_pre_hook", "register_full_backward_hook", "register_full_backward_pre_hook"],
    *["register_load_state_dict_post_hook", "register_load_state_dict_pre_hook", "register_module"],
    *["register_parameter", "register_state_dict_post_hook", "register_state_dict_pre_hook", "requires_grad_"],
    *["set_extra_state", "set_submodule", "share_memory", "state_dict", "to", "to_empty", "train", "type"],
    *["zero_grad"],
]
# For each kind of hook: its switches, and what it may return or do besides noting its call.
FORWARD_PRE = ["(a[1][0] * 2,)", "a[1][0] * 2", "()", "3", "(a[1], {'scale': 2.0})", "(a[1], a[-1])", "[a[1], {}]"]
FORWARD = ["a[-1]", "a[-1] * 2", "(a[-1],)", "3", "{'x': a[-1]}", "[a[-1]]", "torch.ones(2, 2)"]
BACKWARD = ["a[1]", "tuple(g if g is None else g * 2 for g in a[1])", "(None,)", "()", "3", "a[1][0]", "a[-1]"]
SAVED = ["a[1]", "{}", "collections.OrderedDict()", "a[1].clear()", "a[1].update(x=1)", "a[1].pop(at(a[1], 0))"]
LOADED = ["a[-7].clear()", "a[-7].update(x=1)", "a[-3].append('x')", "a[-2].append('x')", "a[-1].append('x')", "3"]
FINISHED = ["a[1].missing_keys.clear()", "a[1].unexpected_keys.clear()", "a[1].missing_keys.append('x')", "3"]
REGISTERED = ["a[2]", "3", "nn.Parameter(torch.zeros(2))", "nn.Linear(2, 2)", "nn.Buffer(torch.zeros(2))", "a[0]"]
HOOKS = {
    "register_forward_pre_hook": (["prepend", "with_kwargs"], FORWARD_PRE),
    "register_forward_hook": (["prepend", "with_kwargs", "always_call"], FORWARD),
    "register_full_backward_hook": (["prepend"], BACKWARD),
    "register_full_backward_pre_hook": (["prepend"], BACKWARD),
    "register_backward_hook": ([], BACKWARD),
    "register_state_dict_pre_hook": ([], ["3", "setattr(a[0], 'w', None)"]),
    "register_state_dict_post_hook": ([], SAVED),
    "_register_state_dict_hook": ([], SAVED),
    "register_load_state_dict_pre_hook": ([], LOADED),
    "_register_load_state_dict_pre_hook": (["with_module"], LOADED),
    "register_load_state_dict_post_hook": ([], FINISHED),
}
GLOBAL_HOOKS = {
    "register_module_forward_pre_hook": ([], FORWARD_PRE),
    "register_module_forward_hook": (["with_kwargs", "always_call"], FORWARD),
    "register_module_full_backward_hook": ([], BACKWARD),
    "register_module_full_backward_pre_hook": ([], BACKWARD),
    "register_module_backward_hook": ([], BACKWARD),
    "register_module_parameter_registration_hook": ([], REGISTERED),
    "register_module_buffer_registration_hook": ([], REGISTERED),
    "register_module_module_registration_hook": ([], REGISTERED),
}


def registrations(kinds):
    """Return a list for each way to register a hook: a call with each thing that the hook may do."""
    found = []
    for register, (switches, results) in kinds.items():
        given = "".join(f"{{{switch}}}" for switch in switches) + "{odd_switch}"
        acts = ["", "{act}", *(f" or {result}" for result in results)]
        noted = [f"{register}(lambda *a: note('{{new}}', *a){act}{given})" for act in acts]
        found.append([*noted, f"{register}({{odd_hook}}{given})"])
    return found


# Each is a list of templates, or of lists of templates: one of the outer list is drawn, then one of the inner.
GRAMMAR = {
    "index": list("012345"),
    "digit": list("0123456789"),
    "place": [*["{m}"] * 3, "at({m}.modules(), {index})", ["{m}.a", "{m}.a", "{m}.a[2]", "{m}.a[0]", "{m}.w"]],
    "plain_name": [NAMES, [*NAMES, *MORE_NAMES]],
    "name": [[repr(name) for name in NAMES], [repr(name) for name in [*NAMES, *MORE_NAMES]]],
    "odd_name": ["3", "None", "b'a'", "()", "torch.ones(1)", "1.5", "True"],
    "any_name": [*["{name}"] * 3, "{odd_name}"],
    "step": ["a", "b", "w", "0", "1", "weight", "bias", ""],
    "path": ["{name}", ["'{step}'", "'{step}.{step2}'", "'{step}.{step2}.{step3}'"]],
    "any_path": [*["{path}"] * 3, "{odd_name}"],
    "parameter": [
        ["nn.Parameter(torch.ones(2))", "nn.Parameter(torch.arange(4.0).view(2, 2), requires_grad=False)"],
        [
            "nn.Parameter(torch.ones((), dtype=torch.float64))",
            "nn.Parameter(torch.ones(2, device='meta'))",
            "nn.Parameter(torch.tensor([1, 2]), requires_grad=False)",
            "nn.Parameter(torch.ones(2, dtype=torch.complex64))",
            "Scale(torch.ones(2))",
            "nn.UninitializedParameter()",
            "nn.UninitializedBuffer()",
        ],
    ],
    "plain_tensor": [
        *["torch.ones(2)", "torch.arange(4.0).view(2, 2)", "torch.tensor([1, 2])", "torch.ones(1)", "torch.ones(())"],
        *["torch.ones(2, requires_grad=True)", "torch.ones(2, requires_grad=True) * 2", "torch.ones(2, device='meta')"],
        *["torch.ones(2, dtype=torch.float64)", "torch.eye(2).to_sparse()", "torch.ones(2).as_subclass(Tagged)"],
        *["torch.zeros(0)", "nn.Buffer(torch.ones(2))", "nn.Buffer(torch.arange(2.0), persistent=False)", "Duck()"],
        "nn.Buffer(torch.ones(2, requires_grad=True) * 2)",
    ],
    "tensor": ["{t}", "{parameter}", "{plain_tensor}"],
    "input": [
        *["torch.ones(2, 2)", "torch.arange(4.0).view(2, 2).requires_grad_()", "torch.ones(2, 2, requires_grad=True)"],
    ],
    "given": ["{t}", *["{input}"] * 3],
    "more": [*[""] * 4, ", scale=2.0", ", torch.ones(2, 2)", ", y=torch.eye(2)", ", other=1", ", None"],
    "leaf": [
        *[["Net()", "tree()", "nn.Linear(2, 2)"]] * 2,
        [
            *["nn.Linear(2, 2, bias=False)", "nn.BatchNorm1d(2)", "nn.BatchNorm1d(2, affine=False)", "nn.Dropout(0.5)"],
            *["nn.Identity()", "nn.ReLU()", "nn.Module()", "nn.LazyLinear(2)", "nn.Embedding(2, 2)", "nn.RNN(2, 2)"],
            *[
                "nn.PReLU()",
                "nn.Bilinear(2, 2, 2)",
                "nn.MultiheadAttention(2, 1)",
                "nn.ModuleList()",
                "nn.ModuleDict()",
            ],
            *["nn.Sequential()", "nn.ParameterList()", "nn.ParameterDict()"],
            "nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))",
            "nn.utils.prune.l1_unstructured(nn.Linear(2, 2), 'weight', 1)",
        ],
        [
            *["Pair()", "Table()", "Nested()", "Nothing()", "Twice()", "Failing()", "Extra()", "Half()", "Old()"],
            *["Careful()", "Versioned()", "Named()", "Talking()", "Talking()", "Falsy()", "Unhashable()", "Lazy()"],
            *["Refusing()", "Super(1)", "Super(one=1)", "Net(1)", "Net(one=1)", "Net.__new__(Net)", "Early(1)"],
            *["Early(nn.Parameter(torch.ones(1)))", "Early(Net())", "Early(nn.Buffer(torch.ones(1)))"],
        ],
    ],
    "plain": [*["None", "None", "3", "'text'", "[1]", "{}", "nn.Linear", "len", "()", "True", "0", "lambda: 1"]],
    "value": ["{m}", "{t}", "{parameter}", "{plain_tensor}", "{leaf}", "{plain}"],
    "any_value": ["{value}", "{tensor}", "{parameter}"],
    "flag": ["True", "False", "True", "False", "None", "1", "0", "'x'", "[]"],
    "odd": ["{value}", "{any_name}", "{path}", "{flag}", "{s}", "{h}", ["seen", "counter", "torch.float64", "'cpu'"]],
    "field": ["_parameters", "_buffers", "_modules"],
    "table": [
        *["_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs"],
        *["_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks"],
        *["_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks"],
    ],
    "move": [
        *["double()", "half()", "float()", "bfloat16()", "cpu()", "to('meta')", "to('cpu')", "to(torch.float64)"],
        *["to_empty(device='cpu')", "to_empty(device='meta')", "to_empty(device='cpu', recurse=False)"],
        *["to(torch.ones(1, dtype=torch.float16))", "to('cpu', torch.float64, True)", "to(device='meta')", "to()"],
        *["to(dtype=torch.int64)", "to(torch.complex64)", "to(None)", "to('nowhere')", "to(3)", "to('cpu', 'cpu')"],
        *[
            "type(torch.float64)",
            "type(torch.int64)",
            "type('torch.DoubleTensor')",
            "type('x')",
            "type(None)",
            "cuda()",
        ],
        *["cuda(1)", "xpu()", "ipu()", "mtia()", "to_empty()", "to_empty(device=None)", "cpu(1)", "double(1)"],
        *["to(memory_format=torch.channels_last)", "to(memory_format=3)", "to(dtype=torch.float64, copy=True)"],
        *["_apply(lambda t: t * 2)", "_apply(lambda t: t.double())", "_apply(lambda t: None)", "_apply(None)"],
        *["_apply(lambda t: t, recurse=False)", "_apply(lambda t: t.clone())", "_apply(lambda t: fail('moving'))"],
        *["_apply(lambda t: t.as_subclass(Tagged))", "_apply(lambda t: nn.Parameter(t))", "share_memory()"],
        "_apply(lambda t: t.to('meta'))",
    ],
    "mode": [
        *["train()", "train(False)", "eval()", "train(1)", "train(None)", "train(mode=True)", "eval(1)"],
        *["requires_grad_()", "requires_grad_(False)", "requires_grad_(None)", "requires_grad_(1)"],
        *["requires_grad_('x')", "zero_grad()", "zero_grad(False)", "zero_grad(set_to_none=False)", "zero_grad(None)"],
        "zero_grad(3)",
    ],
    "setting": [
        ["torch.__future__.set_swap_module_params_on_conversion(True)"],
        ["torch.__future__.set_swap_module_params_on_conversion(False)"],
        ["torch.__future__.set_overwrite_module_params_on_conversion(True)"],
        ["torch.__future__.set_overwrite_module_params_on_conversion(False)"],
        ["torch.set_default_dtype(torch.float64)", "torch.set_default_dtype(torch.float32)"],
        ["torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)"],
        ["torch.set_default_device('meta')", "torch.set_default_device(None)", "torch.set_default_device(None)"],
    ],
    "method": METHODS,
    "keyword": [
        *["prefix", "recurse", "remove_duplicate", "strict", "assign", "name", "tensor", "module", "param", "target"],
        *["persistent", "hook", "prepend", "with_kwargs", "always_call", "mode", "device", "memo", "destination"],
    ],
    "arguments": [
        *["", "{odd}", "{odd}, {odd2}", "{odd}, {odd2}, {odd3}", "{keyword}={odd}", "{odd2}, {keyword}={odd}"],
    ],
    # A walk with what it takes.
    "prefix": ["", "prefix={any_name}, "],
    "recurse": ["", "recurse={flag}"],
    "duplicate": ["", "remove_duplicate={flag}"],
    "walk": [
        *["modules({duplicate})", "parameters({recurse})", "buffers({recurse})", "named_modules({prefix}{duplicate})"],
        *["named_parameters({prefix}{recurse})", "named_buffers({prefix}{recurse})", "children()", "named_children()"],
        *["named_parameters({prefix}{duplicate})", "named_buffers({prefix}{duplicate})"],
    ],
    # What a hook may do, and how it is registered.
    "act": [
        *["", " or fail('{new}')", " or stop('{new}')", " or {new}.remove()", " or {h}.remove()"],
        *[" or {m}.register_forward_hook(seen) and None", " or delattr({m}, {name})"],
        " or setattr({m}, {name}, {value})",
    ],
    "odd_hook": ["seen", "counter", "Counter()", "counter.method", "None", "3", "len", "nn.Linear"],
    "prepend": ["", ", prepend=True"],
    "with_kwargs": ["", ", with_kwargs=True"],
    "always_call": ["", ", always_call=True"],
    "with_module": ["", ", with_module=True"],
    "odd_switch": [*[""] * 60, ", prepend=1", ", with_kwargs=None", ", always_call='x'"],
    "hook": registrations(HOOKS),
    "global_hook": registrations(GLOBAL_HOOKS),
    "called_hook": registrations({key: value for key, value in HOOKS.items() if "forward" in key}),
    "backward_hook": registrations({key: value for key, value in HOOKS.items() if "backward" in key}),
    "saved_hook": registrations({key: value for key, value in HOOKS.items() if "state_dict" in key}),
    "global_called_hook": registrations({key: value for key, value in GLOBAL_HOOKS.items() if "forward" in key}),
    # What is done to a container, and to a state_dict.
    "position": ["-2", "-1", "0", "1", "2", "3"],
    "container_act": [
        *["append({value})", "insert({position}, {value})", "extend([{value}])", "pop({position})", "pop('a')"],
        *["update({'a': {value}})", "__setitem__({position}, {value})", "__setitem__('a', {value})", "clear()"],
        *["__delitem__({position})", "__getitem__({position})", "__getitem__(slice({position}))", "keys()", "copy()"],
        *["__iadd__([{value}])", "__len__()", "__contains__({value})", "setdefault('a', {value})", "popitem()"],
        "__delitem__(slice({position}))",
    ],
    "saving": [
        ["", "keep_vars=True", "prefix='a.'", "prefix='a'", "destination={}", "destination={}, keep_vars=1"],
        *["", "", "{}", "{}, 'a.'", "{}, 'a.', True", "None, 3", "prefix=None", "destination=3", "3", "keep_vars='x'"],
        *["{}, destination={'x': 1}", "collections.OrderedDict(), prefix='b.'"],
    ],
    "damage": [
        *["{s}.pop(KEY)", "{s}[KEY] = {any_value}", "{s}[{name}] = {any_value}", "del {s}._metadata", "{s}.clear()"],
        *["{s}[KEY] = {s}[KEY].double()", "{s}['_extra_state'] = {any_value}", "{s}[KEY] = {s}[KEY][None]"],
        *["{s}[KEY + '.x'] = torch.ones(1)", "{s}._metadata.clear()", "{s}._metadata[''] = {'version': 1}"],
        *["{s}['old'] = {any_value}", "{s}[KEY] = nn.Parameter({s}[KEY])", "{s}[KEY] = {s}.pop(at({s}, 0))"],
        *["{s}['a.' + KEY] = {any_value}", "{s}[KEY].zero_()", "{s}[3] = {any_value}", "{s}._metadata = None"],
        *["{s}[KEY] = {s}[KEY].to('meta')", "{s}._metadata = {}"],
    ],
    "loaded": [*["{s}"] * 3, ["{}", "None", "[]", "collections.OrderedDict(w=torch.ones(2))"]],
    "strict": ["", "", ", strict=False", ", strict=None", ", strict='x'"],
    "assign": ["", "", ", assign=True", ", assign=1", ", assign=None"],
    "copied": [
        *["copy.copy({place})", "copy.deepcopy({place})", "through_pickle({place})", "through_file({place})"],
        *["revive(type({m}), {m}.__getstate__())", "{place}._replicate_for_data_parallel()"],
        *["copy.deepcopy([{place}, {place}])[1]", "torch.optim.swa_utils.AveragedModel({place})"],
    ],
    # What a rule names by itself.
    "any_tensor": ["{parameter}", "{plain_tensor}", "{input}"],
    "persistent": ["", ", persistent={flag}", ", {flag}"],
    "add": ["register_module", "add_module"],
    "table_act": ["clear()", "update({0: seen})", "popitem()", "update({1: True})"],
    "get": ["get_submodule", "get_parameter", "get_buffer"],
    "maybe_strict": ["", ", {flag}"],
    "change": [
        *["setattr({m}, {name}, {value})", "delattr({m}, {name})", "{m}._modules.clear()"],
        "{m}.add_module({name}, None)",
    ],
    "function": ["double", "None", "fail", "seen", "lambda m: delattr(m, 'w')", "nn.Module.eval"],
    "show": [
        *["repr({place})", "str({place})", "{place}.extra_repr()", "{place}._get_name()", "dir({place})"],
        "hash({place}) and 1",
    ],
    "parameter_act": ["requires_grad_(False)", "data.mul_(2)", "detach_()", "grad.zero_()"],
    "odd_call": ["", "3", "[torch.ones(2, 2)]", "x=torch.ones(2, 2)", "torch.ones(2, 2), 3"],
    "around": ["torch.no_grad()", "torch.inference_mode()", "torch.device('meta')"],
    "backward_more": ["", "", "", "retain_graph=True", "create_graph=True"],
    "to_none": ["", "False", "False"],
    "tie": ["", ", strict=True", ", tie_weights=False"],
    "state_copy": ["copy.deepcopy({s})", "copy.copy({s})", "through_pickle({s})", "dict({s})"],
    "keep": ["", "keep_vars=True"],
    "how": ["", ", assign=True", ", strict=False"],
    "load_prefix": ["''", "'a.'", "'b'"],
}

GRAMMAR["damage"] = [act.replace("KEY", "at({s}, {index})") for act in GRAMMAR["damage"]]
# For each kind of step its rules; a rule is one statement or, line by line, several. Each rule is as likely as another.
RULES = {
    "new module": ["m = {leaf}"],
    "new container": [
        *["m = nn.Sequential({m}, {m2})", "m = nn.ModuleList([{m}, {m2}])", "m = nn.ModuleDict({'a': {m}, 'b': {m2}})"],
        *["m = nn.ParameterList([{tensor}, {tensor2}])", "m = nn.ParameterDict({'a': {tensor}, 'b': {tensor2}})"],
    ],
    "new tensor": ["t = {any_tensor}"],
    "assign": [
        *["setattr({place}, {name}, {value})", "setattr({place}, {name}, {m})", "setattr({place}, {name}, {tensor})"],
        "setattr({place}, at(filed({place}), {index}), {tensor})",
        "setattr({place}, at(filed({place}), {index}), {any_value})",
    ],
    "delete": [
        "delattr({place}, {name})",
        "delattr({place}, at(filed({place}), {index}))",
    ],
    "read": ["result = getattr({place}, {name})"],
    "register": [
        "{place}.register_parameter({any_name}, {any_value})",
        "{place}.register_buffer({any_name}, {any_value}{persistent})",
        "{place}.{add}({any_name}, {any_value})",
        "{place}.register_buffer(at({place}._buffers, {index}), at({place}._buffers.values(), {index}), {flag})",
    ],
    "put into a table": [
        "{place}.{field}[{name}] = {value}",
        "{place}.{field}.pop(at({place}.{field}, {index}))",
        "{place}.{table}.{table_act}",
    ],
    "container": ["result = {m}.{container_act}"],
    "class attribute": ["setattr(type({m}), {name}, {value})"],
    "override": ["override({place}, '{method}')", "override(type({place}), '{method}')"],
    "walk": ["result = list({place}.{walk})", "result = list({place}.named_modules({{m}, 3}, {name}))"],
    "look up": [
        "result = {place}.{get}({any_path})",
        "{place}.set_submodule({any_path}, {m}{maybe_strict})",
        "{place}.set_submodule({any_path}, {value}{maybe_strict})",
    ],
    "change while walking": ["result = [(one, {change}) for one in {place}.{walk}]"],
    "apply": ["result = {place}.apply({function})"],
    "repr": ["result = {show}"],
    "mode": ["result = {place}.{mode}"],
    "move": ["result = {place}.{move}"],
    "setting": ["{setting}"],
    "change a parameter": ["at({place}.parameters(), {index}).{parameter_act}"],
    "hook": [
        *["h = {place}.{hook}"] * 2,
        "h = {place}.{called_hook}\nresult = {place}({given}{more})",
        "h = {place}.{called_hook}\nresult = nn.Sequential({place}, Failing())({given})\n"
        "result = {place}('no tensor', {given})",
        "h = {place}.{backward_hook}\neverything({place}({input})).backward()",
        "h = {place}.{saved_hook}\nresult = {place}.load_state_dict({place}.state_dict(), {flag})",
    ],
    "global hook": [
        "h = module_file.{global_hook}",
        "h = module_file.{global_called_hook}\nresult = {place}({given}{more})",
        "h = module_file.{global_called_hook}\nh = {place}.{called_hook}\nresult = {place}({given}{more})",
    ],
    "remove a hook": ["{h}.remove()", "with {h}: pass", "copy.deepcopy({h}).remove()", "{h} = None"],
    "call": [
        *["y = {place}({given}{more})", "y = {place}({y})", "y = {place}({odd_call})"],
        "with {around}: result = {place}({given})",
    ],
    "backward": [
        "everything({y}).backward({backward_more})",
        "everything({place}({input})).backward()\n{place}.zero_grad({to_none})",
        "(everything({place}({input})) * 2).backward()",
    ],
    "functional call": [
        "result = torch.func.functional_call({place}, {s}, ({input},){tie})",
        "result = torch.func.functional_call({place}, {n: p * 2 for n, p in {place}.named_parameters()}, ({input},))",
    ],
    "save": ["s = {place}.state_dict({saving})"],
    "damage": ["s = {state_copy}", "{damage}", "{damage}"],
    "load": [
        "result = {place}.load_state_dict({loaded}{strict}{assign})",
        "result = {place}.load_state_dict({place2}.state_dict({keep}){how})",
        "result = [], [], []; {place}._load_from_state_dict({s}, {load_prefix}, {}, {flag}, *result)",
    ],
    "copy": ["m = {copied}", "m = revive(type({m}), without(without(vars({m}), {digit}), 1{digit2}))", "m = {m}"],
    "forget": ["gc.collect()", "{m} = Net()"],
    "any method": ["result = drain({place}.{method}({arguments}))"],
}
PUTS_BELOW = {"new container", "copy", "assign", "register", "put into a table", "container", "look up"}
PLACEHOLDER = re.compile(r"(\{([a-z_]+)\d*\})")


@dataclass
class Step:
    """A statement, its kind for the figures, what runs where it raises, and the type of what it raised."""

    kind: str
    code: str
    otherwise: str = ""
    raised: str | None = None


class Writer:
    """Write one random program; the same seed writes the same one."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.made = {letter: [] for letter in OTHERWISE}
        self.below = collections.defaultdict(set)  # for each Module those that may be below it
        self.steps = []

    def program(self, steps):
        """Return the steps: a Module first, then what the rules that this program may use come to."""
        rules = [(kind, rule) for kind, templates in RULES.items() for rule in templates]
        rules = self.random.sample(rules, self.random.randint(len(rules) // 4, len(rules)))  # so that programs differ
        self.add("begin", self.random.choice(["m = Net()", "m = tree()", "m = tree()", "m = nn.Sequential(tree())"]))
        while len(self.steps) < steps:
            self.add(*self.random.choice(rules))
        self.add("end", f"result = [{', '.join(self.made['m'])}]")
        return self.steps

    def add(self, kind, rule):
        """Add the statements of a rule, but seldom one that may put a Module below itself: recursion ends a program."""
        if any(f"{{{letter}}}" in rule and not made for letter, made in self.made.items()):
            return
        drawn, steps, made = {}, [], []
        for template in rule.split("\n"):
            letter = template[0] if template[1:4] == " = " else ""
            number = sum(name.startswith(letter) for name in made) + len(self.made.get(letter, ()))
            new = drawn["{new}"] = f"{letter}{number}" if letter else ""
            code = new + self.fill(template, drawn)[len(letter) :]
            made += [new] if letter else []
            steps.append(Step(kind, code, f"{new} = {OTHERWISE[letter]}" if letter else ""))
        if kind in PUTS_BELOW:
            top, *others = re.findall(r"\bm\d+\b", steps[0].code)
            below = set(others).union(*(self.below[other] for other in others))
            if top in below and self.random.random() < 0.95:
                return
            for above, found in self.below.items():
                if above == top or top in found:
                    found |= below
        for new in made:
            self.made[new[0]].append(new)
        self.steps += steps

    def fill(self, template, drawn):
        """Put a text in the place of each placeholder."""

        def text(match):
            placeholder, name = match.groups()
            if placeholder not in drawn:
                if name in self.made:
                    found = self.random.choice(self.made[name] or [OTHERWISE[name]])
                elif name in GRAMMAR:
                    found = GRAMMAR[name]
                    while isinstance(found, list):
                        found = self.random.choice(found)
                    found = self.fill(found, {"{new}": drawn["{new}"]})
                else:
                    found = placeholder  # a set in the statement itself
                drawn[placeholder] = found
            return drawn[placeholder]

        return PLACEHOLDER.sub(text, template)
