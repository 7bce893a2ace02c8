"""Run random programs, statement by statement, and tell after each what can be seen of them.

    python tests/fuzz_worker.py                  on PyTorch's own Module
    python -m scratch tests/fuzz_worker.py       on ours

It reads one program a line, as JSON: {"steps": [[CODE, ELSE, SHOW], …], "mutant": [TEXT, OTHER] or null}, and runs it
in a fork, as a module called __main__, so that nothing is left of it for the next. ELSE runs where CODE raises. A
mutant is a change of the Module's file, for this program alone. After each statement it answers with a line:

    {"raised": ERROR or null, "digest": TEXT}     where SHOW is true, also "shown": [[EXPRESSION, VALUE IN WORDS], …]
    {"over": WHY}                                 the program can't go on; this was its last line but one

and at the end with {"ended": true}, or {"died": STATUS} where the fork has not come to its end.
"""

import collections
import gc
import hashlib
import importlib
import json
import os
import re
import signal
import sys
import types
import warnings
from pathlib import Path

import torch
from torch import nn
from torch.nn.modules import module as module_file

OPENING_FILE = Path(__file__).parent / "fuzz_opening.py"
OPENING = compile(OPENING_FILE.read_text(encoding="utf-8"), "<opening>", "exec")
SECONDS_PER_STEP = 30
PLAIN = (type(None), bool, int, float, complex, str, bytes, torch.dtype, torch.device, torch.Size, type(Ellipsis))
TABLES = [name for name in vars(module_file) if name.startswith("_global_")]
STATEMENT = "<statement>"
SURPLUS = {"_hooked_call_impl"}  # the one name that our class has besides PyTorch's


def in_words(text):
    """Leave out of a text what differs from one process to the next."""
    text = str(text)
    return re.sub(r"0x[0-9a-fA-F]+", "0x…", text) if "0x" in text else text


class View:
    """Put everything that a program's variables reach into plain words; objects get numbers, so identity shows."""

    def __init__(self):
        self.numbers = {}  # of objects, by kind and id
        self.kept = []  # what has a number, so that no other object gets its id
        self.queue = []  # (expression, object) for what has a number, but has not yet been described
        self.shown = []  # (expression, description)

    def number(self, kind, value, expression):
        """Give an object its number; describe it later, if it is new."""
        key = (kind, id(value))
        if key not in self.numbers:
            self.numbers[key] = f"{kind}{len(self.numbers)}"
            self.kept.append(value)
            self.queue.append((expression, value))
        return f"{self.numbers[key]} {type(value).__name__}"

    def value(self, value, path, depth=0):
        """Put a value into words; `path` is the expression that reads it."""
        if type(value) in (dict, collections.OrderedDict) and not value and not vars_of(value):
            return f"{type(value).__name__}()"
        if isinstance(value, torch.Tensor):
            return self.number("tensor", value, path)
        if isinstance(value, nn.Module):
            return self.number("module", value, path)
        if isinstance(value, PLAIN):
            return in_words(repr(value))
        if depth > 8:
            return type(value).__name__
        if isinstance(value, dict):
            parts = [
                [in_words(repr(key)), self.value(part, f"{path}[{key!r}]", depth + 1)] for key, part in value.items()
            ]
            return [type(value).__name__, *parts, *self.fields(value, path, depth)]
        if isinstance(value, (list, tuple)):
            kept = [(at, part) for at, part in enumerate(value) if not (isinstance(part, str) and part in SURPLUS)]
            return [type(value).__name__, *(self.value(part, f"{path}[{at}]", depth + 1) for at, part in kept)]
        if isinstance(value, (set, frozenset)):
            return [type(value).__name__, *sorted(map(repr, value))]
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            return f"{value.__module__}.{value.__qualname__}"
        if isinstance(value, types.MethodType):
            return ["method", value.__qualname__, self.value(value.__self__, f"{path}.__self__", depth + 1)]
        if isinstance(value, types.GeneratorType):
            return f"generator {value.__qualname__}"
        if isinstance(value, torch.utils.hooks.RemovableHandle):
            return ["handle", value.id, self.value(value.hooks_dict_ref(), f"{path}.hooks_dict_ref()", depth + 1)]
        return [f"{type(value).__module__}.{type(value).__qualname__}", *self.fields(value, path, depth)]

    def fields(self, value, path, depth):
        """List an object's own fields."""
        return [[name, self.value(part, f"{path}.{name}", depth + 1)] for name, part in dict(vars_of(value)).items()]

    def module(self, m, path):
        """Describe a Module by its fields."""
        self.add(f"vars({path})", self.value(dict(vars(m)), f"vars({path})"))

    def tensor(self, tensor, path):
        """Describe a tensor, its values to the last bit."""
        parts = [type(tensor).__name__]
        for read in (
            lambda: [str(tensor.dtype), str(tensor.device), str(tensor.layout), list(tensor.shape)],
            lambda: [tensor.requires_grad, tensor.is_leaf, type(tensor.grad_fn).__name__, tensor._version],
            lambda: [tensor.is_shared(), len(tensor._backward_hooks or ())],
            lambda: self.storage(tensor),
            lambda: "" if tensor.is_meta else values(tensor),
            lambda: self.value(tensor.grad if tensor.is_leaf else None, f"{path}.grad"),
            lambda: self.value(dict(vars(tensor)), f"vars({path})"),
        ):
            try:
                parts.append(read())
            except Exception as error:
                parts.append(type(error).__name__)
        self.add(path, parts)

    def storage(self, tensor):
        """Say which tensors share their memory."""
        address = tensor.untyped_storage().data_ptr()
        if not address:
            return None
        return [self.numbers.setdefault(("storage", address), f"storage{len(self.numbers)}"), tensor.storage_offset()]

    def add(self, expression, shown):
        self.shown.append([expression, shown])

    def try_to_add(self, expression, read):
        """Read something that may fail, and write down what comes of it."""
        try:
            self.add(expression, self.value(read(), f"({expression})"))
        except RecursionError:
            self.add(expression, "RecursionError")
        except Exception as error:
            self.add(expression, [type(error).__name__, in_words(error)])

    def derived(self, name, m):
        """Ask a Module for what it says about itself and about those below."""
        below = reachable(m)
        if below is None:
            return self.try_to_add(f"list({name}.named_parameters())", lambda: list(m.named_parameters()))
        walks = {
            f"list({name}.named_modules())": lambda: list(m.named_modules()),
            f"list({name}.named_modules(remove_duplicate=False))": lambda: list(
                m.named_modules(remove_duplicate=False)
            ),
            f"list({name}.named_children())": lambda: list(m.named_children()),
            f"list({name}.named_parameters())": lambda: list(m.named_parameters()),
            f"list({name}.named_parameters(remove_duplicate=False))": lambda: list(
                m.named_parameters(remove_duplicate=False)
            ),
            f"list({name}.named_buffers(remove_duplicate=False))": lambda: list(
                m.named_buffers(remove_duplicate=False)
            ),
            f"repr({name})": lambda: repr(m),
            f"dir({name})": lambda: " ".join(attribute for attribute in dir(m) if attribute not in SURPLUS),
        }
        for expression, read in walks.items():
            self.try_to_add(expression, read)
        if not any(vars(part).get(table) for part in below for table in ("_state_dict_hooks", "_state_dict_pre_hooks")):
            self.try_to_add(f"{name}.state_dict()", lambda: m.state_dict())
        return None

    def state(self, variables):
        """Describe variables and all that they reach, then what is set for the whole process."""
        for name, value in variables.items():
            self.add(name, self.value(value, name))
        for name in TABLES:
            self.add(f"module_file.{name}", self.value(getattr(module_file, name), f"module_file.{name}"))
        self.describe_queue()
        random = hashlib.sha256(torch.get_rng_state().numpy().tobytes()).hexdigest()
        self.add("torch.get_rng_state()", random)
        self.add("torch.get_default_dtype()", str(torch.get_default_dtype()))
        self.add("torch.is_grad_enabled()", torch.is_grad_enabled())

    def describe_queue(self):
        """Describe what has a number, and what is found on the way."""
        while self.queue:
            path, value = self.queue.pop(0)
            if isinstance(value, nn.Module):
                self.module(value, path)
            else:
                self.tensor(value, path)

    def walks(self, variables):
        """Ask each Module that a variable holds for what it says."""
        modules = {id(value): (name, value) for name, value in variables.items() if isinstance(value, nn.Module)}
        for name, value in modules.values():
            self.derived(name, value)
        self.describe_queue()


def vars_of(value):
    """The fields of an object that has any."""
    return getattr(value, "__dict__", {})


def values(tensor):
    """The values of a tensor in words that keep each bit."""
    tensor = tensor.detach()
    if tensor.layout is not torch.strided:
        tensor = tensor.to_dense()
    if tensor.numel() > 64:
        return hashlib.sha256(repr(tensor.tolist()).encode()).hexdigest()
    return repr(tensor.tolist())


def reachable(m, above=()):
    """Each Module below, read from the tables and not by any method; None if one is below itself."""
    if id(m) in above:
        return None
    children = vars(m).get("_modules")
    found = [m]
    for child in children.values() if isinstance(children, dict) else ():
        below = reachable(child, (*above, id(m))) if isinstance(child, nn.Module) else []
        if below is None:
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


class Program:
    """One program, in this process."""

    def __init__(self):
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        self.names = vars(module)
        exec(OPENING, self.names)
        self.given = set(self.names)
        self.event = self.state = None

    def variables(self):
        """What the statements have made, and what they could have changed of the opening."""
        made = {name: value for name, value in self.names.items() if name not in self.given and name != "result"}
        return {**made, "counter": self.names["counter"], "vars(seen)": vars(self.names["seen"])}

    def step(self, code, otherwise, show):
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
        self.event = [raised, [warning_in_words(warning) for warning in warned]]
        if raised and "RecursionError" in json.dumps(raised):
            return {"over": "RecursionError"}  # what happened before it depends on the depth, and on nothing else
        shown = self.show(code)
        answer = {"raised": raised, "digest": hashlib.sha256(json.dumps(shown).encode()).hexdigest()}
        return {**answer, "shown": shown} if show else answer

    def show(self, code):
        """All that can be seen now. Walks over a tree that has not changed since they were last taken are left out."""
        log, variables = list(self.names["log"]), self.variables()
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            view = View()
            view.state(variables)
            state = hashlib.sha256(json.dumps(view.shown).encode()).hexdigest()
            view.add("result", view.value(self.names["result"], "result"))
            view.describe_queue()
            if state != self.state or "type(" in code:
                view.walks(variables)
        self.state = state
        by_looking = [["log of looking", self.names["log"][len(log) :]]]
        by_looking += [["warnings of looking", [warning_in_words(warning) for warning in warned]]]
        return [["error", self.event[0]], ["warnings", self.event[1]], ["log", log], *view.shown, *by_looking]


def answer(channel, reply):
    """Write one line to the driver, at once: it is to know how far a program came that ends its process."""
    channel.write(json.dumps(reply).encode() + b"\n")
    channel.flush()


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


def run_program(steps, mutant, channel):
    """Run one program in a fork of this process."""
    gc.disable()  # what is collected when would depend on how much is made
    if mutant:
        mutate(*mutant)
    program = Program()
    for code, otherwise, show in steps:
        signal.alarm(SECONDS_PER_STEP)
        reply = program.step(code, otherwise, show)
        answer(channel, reply)
        if "over" in reply:
            break
    answer(channel, {"ended": True})
    os._exit(0)


def main():
    """Serve programs until the requests end."""
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    requests = os.fdopen(0, "rb", buffering=0)
    torch.set_num_threads(1)
    importlib.import_module(
        "torch._dynamo"
    )  # an operation on meta imports it: two seconds in each program that has one
    gc.collect()
    gc.freeze()
    answer(channel, {"origin": module_file.__spec__.origin, "torch": torch.__version__})
    for line in requests:
        child = os.fork()
        if child == 0:
            try:
                run_program(**json.loads(line), channel=channel)
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        if status:
            answer(channel, {"died": status})


if __name__ == "__main__":
    main()
