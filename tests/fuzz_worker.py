"""Run random programs, statement by statement, and tell after each what can be seen of them.

    python tests/fuzz_worker.py                  on PyTorch's own Module
    python -m scratch tests/fuzz_worker.py       on ours

First it says which Module it has and what names that has, as a line of JSON. Then it reads batches of programs, one a
line: {"programs": [[[CODE, ELSE], …], …], "show": true or false, "mutant": [TEXT, OTHER] or null, …}. All of a batch
run in one fork, each as a module called __main__ in a process put back to what it was. ELSE runs where CODE raises. A
mutant is a change of the Module's file for this batch. The answer is a line too, for each program a list, and in it
for each statement

    [ERROR, DIGEST]     what it raised, or null; what could be seen then, with "show" as [[EXPRESSION, VALUE], …]
    ["over"]            endless recursion: the program can't go on
    ["died", STATUS]    the process has ended; the rest of the batch runs in a new fork
"""

import collections
import gc
import hashlib
import importlib
import json
import marshal
import os
import re
import signal
import sys
import tempfile
import types
import warnings
from pathlib import Path

import torch
from torch import nn
from torch.nn.modules import module as module_file

OPENING_FILE = Path(__file__).parent / "fuzz_opening.py"
OPENING = compile(OPENING_FILE.read_text(encoding="utf-8"), "<opening>", "exec")
SECONDS_PER_STEP = 3  # of the processor, so that a busy machine changes nothing
ATOMS = {type(None), bool, int, float}
PLAIN = (type(None), bool, int, float, complex, bytes, torch.dtype, torch.device, torch.Size, type(Ellipsis))
EMPTY = {dict: "dict()", set: "set()", collections.OrderedDict: "OrderedDict()"}
STATEMENT = "<statement>"
ENDS_ALWAYS = "list({}.named_parameters())"  # also where a Module is below itself
WALKS = [ENDS_ALWAYS, "list({}.named_parameters(remove_duplicate=False))", "list({}.named_modules())"]
WALKS += ["list({}.named_modules(remove_duplicate=False))", "list({}.named_buffers(remove_duplicate=False))"]
WALKS += ["list({}.named_children())", "repr({})", "dir({})", "{}.state_dict()"]
WALKS = {walk: compile(walk.format("m"), walk, "eval") for walk in WALKS}
ACTING = ("_state_dict_hooks", "_state_dict_pre_hooks")  # what a state_dict() just to look would do once more
MODULE_NAME = re.compile(r"\bm\d+\b")


def in_words(text):
    """Leave out of a text what differs from one process to the next."""
    text = str(text)
    return re.sub(r"0x[0-9a-fA-F]+", "0x…", text) if "0x" in text else text


def digest(shown):
    """Return a short text that stands for all that is shown."""
    return hashlib.blake2b(marshal.dumps(shown, 2), digest_size=12).hexdigest()


class Said(dict):
    """What str() says of a thing, said once."""

    def __missing__(self, thing):
        return self.setdefault(thing, str(thing))


SAID = Said()


class View:
    """Put everything that a program's variables reach into plain words; objects get numbers, so identity shows.

    With `paths` each description also has the expression that reads it; without, nobody is going to look.
    """

    def __init__(self, surplus, paths):
        self.surplus, self.paths = surplus, paths
        self.numbers = {}  # of objects, by id
        self.storages = {}  # of the memory of tensors, by address
        self.kept = []  # what has a number, so that no other object gets its id
        self.queue = []  # (object, expression) for what has a number, but has not yet been described
        self.shown = []  # [expression, description]

    def value(self, value, path, depth=0):
        """Put a value into words; `path` is the expression that reads it, or empty."""
        kind = type(value)
        if kind in ATOMS:
            return value
        if kind in EMPTY and not value and not getattr(value, "__dict__", None):
            return EMPTY[kind]
        if kind is str:
            return in_words(value)
        if isinstance(value, (torch.Tensor, nn.Module)):
            number = self.numbers.get(id(value))
            if number is None:
                number = self.numbers[id(value)] = len(self.numbers)
                self.kept.append(value)
                self.queue.append((value, path))
            return [number, kind.__name__]
        if depth > 8:
            return kind.__name__
        if isinstance(value, dict):
            keys = [key if type(key) is str else in_words(repr(key)) for key in value]
            parts = [
                part if type(part) in ATOMS else self.value(part, path and f"{path}[{key!r}]", depth + 1)
                for key, part in value.items()
            ]
            return [kind.__name__, keys, parts, *self.fields(value, path, depth)]
        if isinstance(value, (list, tuple)):
            parts = [
                self.value(part, path and f"{path}[{at}]", depth + 1)
                for at, part in enumerate(value)
                if not (type(part) is str and part in self.surplus)
            ]
            return [kind.__name__, *parts]
        if isinstance(value, (set, frozenset)):
            return [kind.__name__, *sorted(in_words(repr(part)) for part in value)]
        if isinstance(value, PLAIN):
            return in_words(repr(value))
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            return f"{value.__module__}.{value.__qualname__}"
        if isinstance(value, types.MethodType):
            return ["method", value.__qualname__, self.value(value.__self__, path and f"{path}.__self__", depth + 1)]
        if isinstance(value, types.GeneratorType):
            return f"generator {value.__qualname__}"
        if isinstance(value, torch.utils.hooks.RemovableHandle):
            hooks = value.hooks_dict_ref()
            return ["handle", value.id, self.value(hooks, path and f"{path}.hooks_dict_ref()", depth + 1)]
        return [f"{kind.__module__}.{kind.__qualname__}", *self.fields(value, path, depth)]

    def fields(self, value, path, depth):
        """List an object's own fields."""
        own = getattr(value, "__dict__", None)
        if not own:
            return ()
        return [[name, self.value(part, path and f"{path}.{name}", depth + 1)] for name, part in dict(own).items()]

    def module(self, m, path):
        """List a Module's fields; most of them are empty tables."""
        fields = dict(vars(m))
        parts = [
            part
            if (kind := type(part)) in ATOMS
            else EMPTY[kind]
            if kind in EMPTY and not part
            else self.value(part, path and f"{path}[{name!r}]", 1)
            for name, part in fields.items()
        ]
        return [list(fields), parts]

    def tensor(self, tensor, path):
        """Describe a tensor, its values to the last bit."""
        parts = [type(tensor).__name__]
        for read in (self.kind_of_tensor, self.values_of_tensor):
            try:
                parts += read(tensor, path)
            except Exception as error:
                parts.append(type(error).__name__)
        return parts

    def kind_of_tensor(self, tensor, path):
        """Say all of a tensor but its values."""
        leaf, own, function = tensor.is_leaf, vars(tensor), tensor.grad_fn
        return [
            *(SAID[tensor.dtype], SAID[tensor.device], SAID[tensor.layout], tuple(tensor.shape), tensor.requires_grad),
            *(leaf, function and type(function).__name__, tensor._version, len(tensor._backward_hooks or ())),
            self.value(tensor.grad, path and f"{path}.grad") if leaf else None,
            self.value(own, path and f"vars({path})") if own else None,
        ]

    def values_of_tensor(self, tensor, path):
        """Give the values of a tensor, and say which tensors share their memory."""
        if tensor.is_meta:
            return ()
        tensor = tensor.detach()
        if tensor.layout is not torch.strided:
            return [tensor.to_dense().tolist()]
        storage = tensor.untyped_storage()
        address = storage.data_ptr()
        values = tensor.tolist() if tensor.numel() <= 64 else digest(tensor.tolist())
        number = address and self.storages.setdefault(address, len(self.storages))
        return [number, storage.is_shared(), tensor.storage_offset(), values]

    def add(self, path, shown):
        self.shown.append([path, shown])

    def drain(self):
        """Describe what has a number, and what is found on the way."""
        for value, path in self.queue:  # it grows
            if isinstance(value, nn.Module):
                self.add(path and f"vars({path})", self.module(value, path and f"vars({path})"))
            else:
                with torch._C.DisableTorchFunction():
                    shown = self.tensor(value, path)
                self.add(path, shown)
        self.queue.clear()

    def state(self, variables, tables):
        """Describe variables and all that they reach, then what is set for the whole process."""
        for name, value in variables.items():
            self.add(name, self.value(value, self.paths and name))
        for name in tables:
            self.add(
                f"module_file.{name}", self.value(getattr(module_file, name), self.paths and f"module_file.{name}")
            )
        self.drain()
        self.add("torch.get_rng_state()", digest(torch._C.default_generator.get_state().numpy().tobytes()))
        self.add("torch.get_default_dtype()", str(torch.get_default_dtype()))
        self.add("torch.is_grad_enabled()", torch.is_grad_enabled())

    def walks(self, name, m):
        """Ask a Module for what it says about itself and about those below."""
        below = reachable(m)
        for walk, code in WALKS.items():
            if below is None and walk != ENDS_ALWAYS:
                continue
            if "state_dict" in walk and any(vars(part).get(hooks) for part in below for hooks in ACTING):
                continue
            try:
                found = eval(code, {"m": m})
                if "named" in walk and not self.paths:  # the same as below, in a third of the time
                    found = [[key for key, _ in found], [self.numbers.get(id(part)) or part for _, part in found]]
                elif walk == "dir({})":
                    found = " ".join(attribute for attribute in found if attribute not in self.surplus)
                shown = self.value(found, self.paths and f"({walk.format(name)})")
            except RecursionError:
                shown = "RecursionError"
            except Exception as error:
                shown = [type(error).__name__, in_words(error)]
            self.add(walk.format(name), shown)
        self.drain()


def reachable(m, above=(), most=100):
    """Each Module below, read from the tables and not by any method; None if one is below itself, or they are many."""
    if id(m) in above or len(above) > most:
        return None
    children = vars(m).get("_modules")
    found = [m]
    for child in children.values() if isinstance(children, dict) else ():
        below = reachable(child, (*above, id(m)), most - len(found)) if isinstance(child, nn.Module) else []
        if below is None or len(found) > most:
            return None
        found += below
    return found


def error_in_words(error):
    """An error with those that led to it, as a traceback would show them."""
    if error is None:
        return None
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    said = "" if isinstance(error, RecursionError) else in_words(error)
    link = "cause" if error.__cause__ else "context"
    return [type(error).__name__, said, [link, error_in_words(before)] if before is not None else None]


def warning_in_words(warning):
    """A warning with the place that it names, which -W and filters go by."""
    place = warning.lineno if warning.filename == STATEMENT else Path(warning.filename).name
    return [warning.category.__name__, in_words(warning.message), place]


class Surroundings:
    """What a program can change in the process besides its own names, as it was before any program ran."""

    def __init__(self, surplus, tables):
        self.surplus, self.tables = surplus, tables
        kinds = [nn.Module]
        for kind in kinds:  # it grows
            kinds += kind.__subclasses__()
        self.classes = [(kind, dict(vars(kind))) for kind in dict.fromkeys(kinds)]

    def restore(self, classes):
        """Put the process back to what it was; with `classes` those of torch, too."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        for name in self.tables:
            table = getattr(module_file, name)
            if isinstance(table, dict):
                table.clear()
            else:
                setattr(module_file, name, None)
        torch.utils.hooks.RemovableHandle.next_id = 0
        torch.set_default_device(None)
        torch.set_default_dtype(torch.float32)
        torch.set_grad_enabled(True)
        torch.__future__.set_swap_module_params_on_conversion(False)
        torch.__future__.set_overwrite_module_params_on_conversion(False)
        for kind, names in self.classes if classes else ():
            for name in [name for name, value in vars(kind).items() if name not in names or names[name] is not value]:
                if name in names:
                    setattr(kind, name, names[name])
                else:
                    delattr(kind, name)
        gc.collect()  # what is collected while a program runs would depend on the programs before it
        gc.freeze()


class Program:
    """One program, in this process."""

    def __init__(self, surroundings, show=False):
        self.surroundings, self.shows = surroundings, show
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        self.names = vars(module)
        exec(OPENING, self.names)
        self.given = {*self.names, "result", "__warningregistry__"}
        self.event = self.state = None
        self.walked = set()  # names of Modules that were asked since anything changed

    def variables(self):
        """What the statements have made, and what they could have changed of the opening."""
        made = {name: value for name, value in self.names.items() if name not in self.given}
        return {**made, "counter": self.names["counter"], "vars(seen)": vars(self.names["seen"])}

    def step(self, code, otherwise):
        """Run a statement, and answer what it raised and what can be seen then."""
        self.names["log"].clear()
        self.names["result"] = raised = None
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                exec(compile(code, STATEMENT, "exec"), self.names)
            except BaseException as error:
                raised = error_in_words(error)
            if raised and otherwise:
                exec(otherwise, self.names)
        if raised and "RecursionError" in str(raised):
            return ["over"]  # what happened before it depends on the depth, and on nothing else
        self.event = [raised, [warning_in_words(warning) for warning in warned]]
        shown = self.show(code)
        return [raised and raised[0], shown if self.shows else digest(shown)]

    def show(self, code):
        """All that can be seen now. A Module is asked where the statement names it, once until anything changes."""
        log = list(self.names["log"])
        variables = self.variables()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            view = View(self.surroundings.surplus, self.shows)
            view.state(variables, self.surroundings.tables)
            state = digest(view.shown)
            shown = view.shown if self.shows else [state]
            view.shown = []
            view.add("result", view.value(self.names["result"], self.shows and "result"))
            view.drain()
            if state != self.state or "type(" in code:
                self.walked.clear()
            for name in dict.fromkeys(MODULE_NAME.findall(code)):
                if isinstance(self.names.get(name), nn.Module) and name not in self.walked:
                    self.walked.add(name)
                    view.walks(name, self.names[name])
        self.state = state
        by_looking = [["log of looking", self.names["log"][len(log) :]]]
        by_looking += [["warnings of looking", [warning_in_words(warning) for warning in warned]]]
        event = [["error", self.event[0]], ["warnings", self.event[1]], ["log", log]]
        return [*event, *shown, *view.shown, *by_looking]


def mutate(text, other):
    """Exchange one text in the Module's file: each function gets its new code, and stays the object that it is."""
    path = module_file.__spec__.origin
    source = Path(path).read_text(encoding="utf-8")
    if source.count(text) != 1:
        raise ValueError(f"{source.count(text)} places in {path}: {text}")
    functions = {}
    for scope in (vars(module_file), *(vars(kind) for kind in vars(module_file).values() if isinstance(kind, type))):
        found = [value for value in scope.values() if isinstance(value, types.FunctionType)]
        functions |= {value.__code__.co_qualname: value for value in found if value.__code__.co_filename == path}
    kinds = [compile(source.replace(text, other), path, "exec")]
    for code in kinds:  # the list grows while it is read
        kinds += [part for part in code.co_consts if isinstance(part, types.CodeType)]
        if code.co_qualname in functions:
            functions[code.co_qualname].__code__ = code


def run_programs(programs, surroundings, show, mutant, file):
    """Run programs in a fork of this process, and write each answer at once: it may be the last."""
    gc.disable()
    if mutant:
        mutate(*mutant)
    for steps in programs:
        program = Program(surroundings, show)
        for code, otherwise in steps:
            signal.setitimer(signal.ITIMER_PROF, SECONDS_PER_STEP)
            answer = program.step(code, otherwise)
            os.write(file, json.dumps(answer).encode() + b"\n")
            if answer == ["over"]:
                break
        os.write(file, b"null\n")
        del program
        surroundings.restore(classes=any("type(" in code for code, _ in steps))
    os._exit(0)


def run_batch(programs, surroundings, show, mutant):
    """Return the answers to a batch, in as many forks as it takes."""
    answers = []
    with tempfile.TemporaryFile(buffering=0) as file:
        while len(answers) < len(programs):
            file.seek(0)
            file.truncate()
            child = os.fork()
            if child == 0:
                try:
                    run_programs(programs[len(answers) :], surroundings, show, mutant, file.fileno())
                finally:
                    os._exit(1)
            _, status = os.waitpid(child, 0)
            file.seek(0)
            found = []
            for line in file.read().splitlines():
                if line == b"null":
                    answers.append(found)
                    found = []
                else:
                    found.append(json.loads(line))
            if status:
                answers.append([*found, ["died", status]])
    return answers


def main():
    """Serve batches until the requests end."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    requests = os.fdopen(0, "rb")
    torch.set_num_threads(1)
    torch.set_warn_always(True)  # not once in a process
    importlib.import_module("torch._dynamo")  # an operation on meta imports it: two seconds for each fork that has one
    exec(OPENING, {"__name__": "__main__"})  # likewise what it imports
    tables = [name for name in vars(module_file) if name.startswith("_global_")]
    told = {
        "origin": module_file.__spec__.origin,
        "torch": torch.__version__,
        "tables": tables,
        "names": dir(nn.Module),
    }
    surroundings = None
    gc.collect()
    gc.freeze()
    while True:
        channel.write(json.dumps(told).encode() + b"\n")
        channel.flush()
        line = requests.readline()
        if not line:
            break
        asked = json.loads(line)
        surroundings = surroundings or Surroundings(set(asked["surplus"]), asked["tables"])
        told = run_batch(asked["programs"], surroundings, asked["show"], asked["mutant"])


if __name__ == "__main__":
    main()
