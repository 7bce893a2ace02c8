"""What every random program begins with: classes with their ways, hooks that note their calls, odd values.

fuzz_worker.py runs this text as the head of each program, and fuzz.py prints of it what a program needs. Only torch
and the standard library are used here.
"""

import collections  # noqa: F401 - here and below: for the statements, which are another file's
import copy  # noqa: F401
import gc  # noqa: F401
import io
import pickle
import types

import torch
import torch.nn.utils.prune
from torch import nn
from torch.nn.modules import module as module_file  # noqa: F401
from torch.nn.modules.lazy import LazyModuleMixin

torch.manual_seed(0)
# New memory then holds nan, and never what was there before. (The public function imports Inductor: seconds.)
torch._C._set_deterministic_algorithms(True)

log = []  # the calls of all hooks and of the methods that classes here override


def brief(value):
    """Name a value in the same words in every process."""
    if isinstance(value, torch.Tensor):
        try:
            return f"{type(value).__name__}{value.tolist()}"
        except Exception:
            return f"{type(value).__name__}{tuple(value.shape)}"
    if isinstance(value, nn.Module):
        return next((name for name, thing in globals().items() if thing is value), type(value).__name__)
    if isinstance(value, dict):
        return {key: brief(part) for key, part in list(value.items())[:9]}
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, len(value), *map(brief, value[:9])]
    return value if value is None or isinstance(value, (str, int, float)) else type(value).__name__


def note(name, *values):
    """Write a call into the log."""
    log.append([name, *map(brief, values)])


def fail(text):
    """Raise an error from inside an expression."""
    raise ValueError(text)


def stop(text):
    """Raise what `except Exception` does not catch."""
    raise KeyboardInterrupt(text)


def seen(*values):
    """A hook that can be pickled, and that is the same one wherever it is used."""
    note("seen", *values)


class Counter:
    """A hook with a state of its own, which a deep copy of a Module copies."""

    def __init__(self):
        self.calls = 0

    def __call__(self, *values):
        self.calls += 1
        note("counter", self.calls, *values)

    def method(self, *values):
        note("method", *values)


counter = Counter()


def everything(output):
    """Sum the tensors in any output."""
    if isinstance(output, torch.Tensor):
        return output.sum()
    parts = output.values() if isinstance(output, dict) else output if isinstance(output, (tuple, list)) else ()
    return sum((everything(part) for part in parts), torch.zeros(()))


def drain(value):
    """Run a generator to its end, if it is one."""
    return list(value) if isinstance(value, types.GeneratorType) else value


def through_pickle(value):
    return pickle.loads(pickle.dumps(value))


def through_file(value):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def at(values, index):
    """Take one of the values that there are."""
    values = list(values)
    return values[index % len(values)]


def filed(m):
    """The names of all that a Module has filed."""
    return [*m._parameters, *m._buffers, *m._modules]


def without(state, index):
    """Leave out one of the fields of a Module's state, as an older PyTorch did."""
    left = dict(state)
    left.pop(at(left, index))
    return left


def revive(kind, state):
    """Make an object of a class from a state, without __init__."""
    made = kind.__new__(kind)
    made.__setstate__(state)
    return made


def double(m):
    """Something to apply to every Module."""
    note("double", m)
    with torch.no_grad():
        for p in m.parameters(recurse=False):
            p.mul_(2)


def override(owner, name):
    """Put in a method's place, on a Module or on its class, one that notes its call."""
    method = getattr(owner, name)

    def noted(*args, **kwargs):
        note(name, args, {key: value for key, value in kwargs.items() if key not in ("memo", "destination")})
        return method(*args, **kwargs)

    if isinstance(owner, type):
        setattr(owner, name, noted)
    else:
        vars(owner)[name] = noted


class Net(nn.Module):
    """Call each child in turn, then multiply by each Parameter and add each buffer."""

    def forward(self, x, *args, scale=1.0, **kwargs):
        for child in self.children():
            x = child(x)
        for p in self.parameters(recurse=False):
            x = x * p.sum()
        for b in self.buffers(recurse=False):
            x = x + b.sum()
        return x * scale


def tree():
    """A Module with everything in it: shared, nested, empty places, a buffer that is not saved."""
    m = Net()
    m.w = nn.Parameter(torch.ones(2))
    m.b = nn.Buffer(torch.arange(2.0), persistent=False)
    m.register_parameter("none", None)
    m.register_buffer("count", torch.tensor(1))
    m.a = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), Net())
    m.a[2].w = m.w
    m.a[2].b = m.b
    m.add_module("empty", None)
    m.again = m.a[0]
    m.v = Versioned()
    return m


class Pair(Net):
    def forward(self, x, other=None):
        x = super().forward(x)
        return x, x * 2 if other is None else other


class Table(Net):
    def forward(self, x, **kwargs):
        return {"name": "table", "x": super().forward(x), **kwargs}


class Nested(Net):
    def forward(self, *args):
        return [super().forward(args[0]), {"rest": args[1:]}]


class Nothing(nn.Module):
    def forward(self, *args, **kwargs):
        return None


class Twice(nn.Module):
    def forward(self, x, y=None):
        return (x * 2).relu() if y is None else x @ y


class Failing(nn.Module):
    def forward(self, x):
        raise ValueError("forward failed")


class Extra(nn.Module):
    """Save something besides tensors."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
        self.extra = {"count": 1}

    def get_extra_state(self):
        note("get_extra_state")
        return self.extra

    def set_extra_state(self, state):
        note("set_extra_state", state)
        self.extra = state

    def forward(self, x):
        return x * self.w


class Half(nn.Module):
    """Save something besides tensors, but never load it."""

    def get_extra_state(self):
        return torch.ones(1)


class Old(nn.Module):
    """Override register_buffer as it was before it took `persistent`."""

    def register_buffer(self, name, tensor):
        note("register_buffer", name)
        super().register_buffer(name, tensor)


class Careful(nn.Module):
    """Override register_buffer and register_parameter as they are."""

    def register_buffer(self, name, tensor, persistent=False):
        note("register_buffer", name, persistent)
        super().register_buffer(name, tensor, persistent)

    def register_parameter(self, name, param):
        note("register_parameter", name)
        super().register_parameter(name, param)


class Early(nn.Module):
    """Assign before there are registries."""

    def __init__(self, value):
        self.early = value
        super().__init__()


class Base:
    def __init__(self, *args, **kwargs):
        note("Base", args, kwargs)
        self.base = args


class Super(nn.Module, Base):
    call_super_init = True


class Versioned(nn.Module):
    """Change on loading what an older version saved."""

    _version = 2

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        note("save", prefix, keep_vars)
        super()._save_to_state_dict(destination, prefix, keep_vars)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        note("load", prefix, dict(local_metadata), rest)
        if local_metadata.get("version", 1) < 2 and prefix + "old" in state_dict:
            state_dict[prefix + "w"] = state_dict.pop(prefix + "old")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def forward(self, x):
        return x * self.w


class Named(nn.Module):
    """Have attributes of the class, a property, and a property that fails."""

    w = 3
    shared = nn.Parameter(torch.ones(1))

    @property
    def b(self):
        return self._parameters.get("b")

    @property
    def broken(self):
        return self.missing

    def extra_repr(self):
        return "one\ntwo" if self._modules else "one"

    def forward(self, x):
        return x + self.w


def noting(kind, name):
    """Override a method so that it notes its call."""

    def method(self, *args, **kwargs):
        note(name, args, {key: value for key, value in kwargs.items() if key not in ("memo", "destination")})
        return getattr(super(globals()[kind], self), name)(*args, **kwargs)

    return method


class Talking(nn.Module):
    """Override what the walks, the moves and the modes call on each Module, and note it."""

    for method in [
        *["named_modules", "named_parameters", "named_buffers", "named_children", "modules", "parameters", "buffers"],
        *["children", "_named_members", "train", "_apply", "apply", "requires_grad_", "zero_grad", "add_module"],
        *["register_module", "register_parameter", "register_buffer", "get_submodule", "get_parameter", "get_buffer"],
        *["set_submodule", "state_dict", "load_state_dict", "extra_repr", "__setattr__", "__delattr__", "to_empty"],
        *["_register_load_state_dict_pre_hook", "_get_backward_hooks", "_maybe_warn_non_full_backward_hook"],
    ]:
        vars()[method] = noting("Talking", method)

    def _get_name(self):
        return "Chatter"

    def forward(self, x):
        return x


class Refusing(nn.Module):
    """Note each name that is asked for and not found, and refuse some in another way."""

    def __getattr__(self, name):
        note("__getattr__", name)
        if "." in name or not name:
            raise ValueError(f"no such name: {name}")
        return super().__getattr__(name)

    def forward(self, x):
        return x


class Falsy(nn.Module):
    """Be false, have a length, and equal others of its kind."""

    def __bool__(self):
        return False

    def __len__(self):
        return 0

    def __eq__(self, other):
        return isinstance(other, Falsy)

    def __hash__(self):
        return 1

    def forward(self, x):
        return x


class Unhashable(nn.Module):
    __hash__ = None

    def forward(self, x):
        return x


class Lazy(LazyModuleMixin, nn.Module):
    """Make its Parameter when it is first called."""

    cls_to_become = Twice

    def __init__(self):
        super().__init__()
        self.w = nn.UninitializedParameter()

    def initialize_parameters(self, x, *args):
        with torch.no_grad():
            self.w.materialize((2,))
            self.w.fill_(1)

    def forward(self, x, *args):
        return x * self.w


class Scale(nn.Parameter):
    """A kind of Parameter."""


class Tagged(torch.Tensor):
    """A kind of tensor."""


class Duck:
    """Look like a tensor to PyTorch without being one."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        note("Duck", func.__name__)
        return Duck()
