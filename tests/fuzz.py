"""Drive PyTorch's Module and ours through the same random programs, and compare all that can be seen after each step.

    python tests/fuzz.py --minutes 30           new programs until the time is over: `make fuzz MINUTES=30`
    python tests/fuzz.py --minutes 1 --seed 7   from a seed on, to see the same programs again

A program is a list of statements in plain PyTorch. Hypothesis chooses them, two workers (fuzz_worker.py) run them, one
on each Module. The first difference ends a program; Hypothesis then looks for the shortest program with a difference,
and it is printed so that it can be pasted and run on both.
"""

import argparse
import ast
import collections
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import engine
from hypothesis.reporting import with_reporter
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

ROOT = Path(__file__).parent.parent
WORKER = ROOT / "tests" / "fuzz_worker.py"
OPENING = ROOT / "tests" / "fuzz_opening.py"
STOCK = [sys.executable, str(WORKER)]
OURS = [sys.executable, "-m", "scratch", str(WORKER)]
TOO_SLOW = 14  # SIGALRM: the worker gives a step only so long, and two workers may not agree on what is too long
CRASHED = 11  # SIGSEGV: endless recursion ends in this or in a RecursionError, as the stack of C happens to be filled


engine.MAX_SHRINKING_SECONDS = 60
engine.ConjectureRunner.generate_mutations_from = lambda self, data: None  # each program is to be a new one


class Difference(AssertionError):
    """Hold a program after which the two Modules differ, and what differs then."""

    def __init__(self, steps, place, theirs, ours):
        super().__init__(place)
        self.steps, self.place, self.theirs, self.ours = steps, place, theirs, ours


@dataclass
class Step:
    """A statement, what runs where it raises, its kind for the figures, and what it raised."""

    kind: str
    code: str
    otherwise: str = ""
    raised: list | None = None


class Worker:
    """A process that runs programs on one of the two Modules."""

    def __init__(self, command, folder=ROOT):
        environment = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def send(self, steps, show=None, mutant=None):
        """Send a program; the answers are read later, so that both workers are at it at the same time."""
        steps = [[step.code, step.otherwise, at == show] for at, step in enumerate(steps)]
        try:
            self.process.stdin.write(json.dumps({"steps": steps, "mutant": mutant}).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.gone()

    def gone(self):
        """Say how the process ended."""
        raise RuntimeError(f"the worker {self.process.args} has ended with {self.process.wait()}")

    def receive(self):
        """Read one answer."""
        line = self.process.stdout.readline()
        if not line:
            self.gone()
        return json.loads(line)

    def receive_all(self):
        """Read the answers to one program, step by step; where its process died, the last one says so."""
        answers = []
        while True:
            answer = self.receive()
            if "ended" in answer:
                return answers
            answers.append(answer)
            if "died" in answer:
                return answers

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Pair:
    """The two workers, and what they have been through together."""

    def __init__(self, ours=OURS, folder=ROOT):
        self.workers = [Worker(STOCK), Worker(ours, folder)]
        self.mutant = None  # a text in our file and another to be in its place: to see whether that is found out
        self.programs = self.steps = self.slow = self.cut = 0
        self.kinds, self.raised = collections.Counter(), collections.Counter()
        self.origins = [worker.receive()["origin"] for worker in self.workers]

    def answers(self, steps, show=None):
        """Run a program on both; give for each its answers, step by step."""
        for worker, mutant in zip(self.workers, (None, self.mutant), strict=True):
            worker.send(steps, show, mutant)
        return [worker.receive_all() for worker in self.workers]

    def compare(self, steps):
        """Run a program on both; return what differs first, or None."""
        steps = [replace(step) for step in steps]
        theirs, ours = self.answers(steps)
        self.programs += 1
        for at, pair in enumerate(zip(theirs, ours, strict=False)):
            if TOO_SLOW in (pair[0].get("died"), pair[1].get("died")):
                self.slow += 1
                return None
            if all("over" in one or one.get("died") == CRASHED for one in pair):
                self.cut += 1
                return None
            if pair[0] != pair[1]:
                return self.difference(steps[: at + 1], *pair)
            if "raised" not in pair[0]:
                self.cut += 1
                return None
            self.count(steps[at], pair[0]["raised"])
        return None

    def count(self, step, raised):
        """Take a step, which is the same on both, into the figures."""
        step.raised = raised
        self.steps += 1
        self.kinds[step.kind] += 1
        if raised:
            self.raised[raised[0]] += 1

    def difference(self, steps, theirs, ours):
        """Find the first thing that differs after the last step: an expression and its two values."""
        steps[-1].raised = theirs.get("raised") or ours.get("raised")
        if not ("digest" in theirs and "digest" in ours):
            return Difference(steps, "what became of the process", theirs, ours)
        theirs, ours = (answers[-1]["shown"] for answers in self.answers(steps, len(steps) - 1))
        for (place, one), (_, other) in zip(theirs, ours, strict=False):
            if one != other:
                return Difference(steps, place, *narrowed(one, other))
        return Difference(steps, "how much there is to see", len(theirs), len(ours))

    def close(self):
        for worker in self.workers:
            worker.close()


# --- the program as a text to paste -------------------------------------------------------------------------------


def needed_of_opening(statements):
    """Return those parts of the opening that the statements name, and those that these name."""
    nodes = ast.parse(OPENING.read_text(encoding="utf-8")).body[1:]
    names = {at: set(binds(node)) for at, node in enumerate(nodes)}
    wanted = {name.id for name in ast.walk(ast.parse("\n".join(statements))) if isinstance(name, ast.Name)} | {"log"}
    always = {at for at, node in enumerate(nodes) if isinstance(node, ast.Expr)}
    while True:
        kept = always | {at for at in names if names[at] & wanted}
        more = {name.id for at in kept for name in ast.walk(nodes[at]) if isinstance(name, ast.Name)}
        if more <= wanted:
            return [nodes[at] for at in sorted(kept)]
        wanted |= more


def binds(node):
    """Name what a statement of the opening defines."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []


def as_program(found):
    """Write a difference as a program that prints, at its end, what differs."""
    steps, place = found.steps, found.place
    lines = []
    for node in needed_of_opening([step.code for step in steps]):
        gap = ["", ""] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
        lines += [*gap, ast.unparse(node)]
    lines += ["", ""]
    for step in steps:
        if step.raised or (step is steps[-1] and place == "error"):
            lines += ["try:", f"    {step.code}", "except BaseException as error:"]
            lines += ["    print(type(error).__name__, error)", *([f"    {step.otherwise}"] if step.otherwise else [])]
        else:
            lines.append(step.code)
    if place not in ("error", "warnings", "what became of the process"):
        shown = "log" if place.startswith("log") else place
        metadata = f", getattr({shown}, '_metadata', None)" if "state_dict" in shown or shown[0] == "s" else ""
        lines.append(f"print({shown}{metadata})")
    found = [
        f"# what differs: {place}",
        f"# torch.nn: {json.dumps(found.theirs)}",
        f"# scratch:  {json.dumps(found.ours)}",
    ]
    return "\n".join([*lines, "", *found, ""])


def without_idle_steps(pair, found):
    """Leave out each statement without which there still is a difference: Hypothesis leaves some."""
    at = len(found.steps) - 1
    while at > 0:
        at = min(at, len(found.steps) - 1) - 1
        found = pair.compare(found.steps[:at] + found.steps[at + 1 :]) or found
    return found


def narrowed(theirs, ours):
    """Leave out of two nested lists what is the same at the head and at the end."""
    while isinstance(theirs, list) and isinstance(ours, list) and theirs and ours and len(theirs) == len(ours):
        unequal = [at for at, pair in enumerate(zip(theirs, ours, strict=True)) if pair[0] != pair[1]]
        if len(unequal) != 1:
            break
        theirs, ours = theirs[unequal[0]], ours[unequal[0]]
    return theirs, ours


# --- what statements are made of ------------------------------------------------------------------------------------

pick = st.sampled_from
NAMES = ["a", "b", "w", "0", "weight", "bias", "", "a.b", ".", "ü", "1", "forward", "training", "register_buffer"]
NAMES += ["T_destination", "_version", "broken", "shared", "None", "two words", "_buffers_", "extra", "call_super_init"]
ODD_NAMES = ["3", "None", "b'a'", "()", "torch.ones(1)", "1.5", "True"]
PARAMETERS = [
    "nn.Parameter(torch.ones(2))",
    "nn.Parameter(torch.arange(4.0).view(2, 2), requires_grad=False)",
    "nn.Parameter(torch.ones((), dtype=torch.float64))",
    "nn.Parameter(torch.ones(2, device='meta'))",
    "nn.Parameter(torch.tensor([1, 2]), requires_grad=False)",
    "nn.Parameter(torch.ones(2, dtype=torch.complex64))",
    "Scale(torch.ones(2))",
    "nn.UninitializedParameter()",
    "nn.UninitializedBuffer()",
]
TENSORS = [
    "torch.ones(2)",
    "torch.arange(4.0).view(2, 2)",
    "torch.tensor([1, 2])",
    "torch.ones(1)",
    "torch.ones(())",
    "torch.ones(2, requires_grad=True)",
    "torch.ones(2, requires_grad=True) * 2",
    "torch.ones(2, device='meta')",
    "torch.ones(2, dtype=torch.float64)",
    "torch.eye(2).to_sparse()",
    "torch.ones(2).as_subclass(Tagged)",
    "torch.zeros(0)",
    "nn.Buffer(torch.ones(2))",
    "nn.Buffer(torch.arange(2.0), persistent=False)",
    "nn.Buffer(torch.ones(2, requires_grad=True) * 2)",
    "Duck()",
]
INPUTS = ["torch.ones(2, 2)", "torch.arange(4.0).view(2, 2).requires_grad_()", "torch.ones(2, 2, requires_grad=True)"]
LEAVES = [
    *["Net()"] * 4,
    *["tree()"] * 5,
    *["nn.Linear(2, 2)"] * 3,
    "nn.Linear(2, 2, bias=False)",
    "nn.BatchNorm1d(2)",
    "nn.BatchNorm1d(2, affine=False)",
    "nn.Dropout(0.5)",
    "nn.Identity()",
    "nn.ReLU()",
    "nn.Module()",
    "nn.LazyLinear(2)",
    "nn.Embedding(2, 2)",
    "nn.RNN(2, 2)",
    "nn.PReLU()",
    "nn.Bilinear(2, 2, 2)",
    "nn.MultiheadAttention(2, 1)",
    "nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))",
    "nn.utils.prune.l1_unstructured(nn.Linear(2, 2), 'weight', 1)",
    *["Pair()", "Table()", "Nested()", "Nothing()", "Twice()", "Failing()", "Extra()", "Half()", "Old()", "Careful()"],
    *["Versioned()", "Named()", "Talking()", "Falsy()", "Unhashable()", "Lazy()", "Super(1)", "Super(one=1)"],
    *["Net(1)", "Net(one=1)", "Net.__new__(Net)", "Early(1)", "Early(nn.Parameter(torch.ones(1)))"],
    *["Early(Net())", "Early(nn.Buffer(torch.ones(1)))", "nn.ModuleList()", "nn.ModuleDict()", "nn.Sequential()"],
    *["nn.ParameterList()", "nn.ParameterDict()"],
]
PLAIN = ["None", "None", "3", "'text'", "[1]", "{}", "nn.Linear", "len", "()", "True", "0", "lambda: 1"]
FIELDS = ["_parameters", "_buffers", "_modules"]
TABLES = [
    *["_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs"],
    *["_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_state_dict_hooks"],
    *["_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks"],
]
MOVES = [
    *["double()", "half()", "float()", "bfloat16()", "cpu()", "to('meta')", "to('cpu')", "to(torch.float64)"],
    *["to_empty(device='cpu')", "to_empty(device='meta')", "to_empty(device='cpu', recurse=False)", "share_memory()"],
    *["to(torch.ones(1, dtype=torch.float16))", "to('cpu', torch.float64, True)", "to(device='meta')", "to()"],
    *["to(dtype=torch.int64)", "to(torch.complex64)", "to(None)", "to('nowhere')", "to(3)", "to('cpu', 'cpu')"],
    *["type(torch.float64)", "type(torch.int64)", "type('torch.DoubleTensor')", "type('x')", "type(None)", "cuda()"],
    *["cuda(1)", "xpu()", "ipu()", "mtia()", "to_empty()", "to_empty(device=None)", "cpu(1)", "double(1)"],
    *["to(memory_format=torch.channels_last)", "to(memory_format=3)", "to(dtype=torch.float64, copy=True)"],
    *["_apply(lambda t: t * 2)", "_apply(lambda t: t.double())", "_apply(lambda t: None)", "_apply(None)"],
    *["_apply(lambda t: t, recurse=False)", "_apply(lambda t: t.clone())", "_apply(lambda t: fail('moving'))"],
    *["_apply(lambda t: t.as_subclass(Tagged))", "_apply(lambda t: nn.Parameter(t))", "_apply(lambda t: t.to('meta'))"],
]
MODES = [
    *["train()", "train(False)", "eval()", "train(1)", "train(None)", "train(mode=True)", "eval(1)"],
    *["requires_grad_()", "requires_grad_(False)", "requires_grad_(None)", "requires_grad_(1)", "requires_grad_('x')"],
    *["zero_grad()", "zero_grad(False)", "zero_grad(set_to_none=False)", "zero_grad(None)", "zero_grad(3)"],
]
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
KEYWORDS = ["prefix", "recurse", "remove_duplicate", "strict", "assign", "name", "tensor", "module", "param", "target"]
KEYWORDS += ["persistent", "hook", "prepend", "with_kwargs", "always_call", "mode", "device", "memo", "destination"]

# For each kind of hook: how it is registered, its keywords, and what it may do besides noting its call.
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
# Those that a call, its backward, or saving and loading calls.
CALLED = {key: value for key, value in HOOKS.items() if "forward" in key}
BACKWARD_CALLED = {key: value for key, value in HOOKS.items() if "backward" in key}
SAVED_AND_LOADED = {key: value for key, value in HOOKS.items() if "state_dict" in key}
GLOBAL_CALLED = {key: value for key, value in GLOBAL_HOOKS.items() if "forward" in key}
# What a variable holds if the expression meant for it raised.
OTHERWISE = {"m": "Net()", "t": "torch.zeros(2)", "h": "None", "s": "{}", "y": "torch.ones(2, 2)"}
SWITCHES = ["prepend=True", "with_kwargs=True", "always_call=True", "prepend=1", "with_kwargs=None", "always_call='x'"]

modules, tensors, handles = Bundle("modules"), Bundle("tensors"), Bundle("handles")
states, outputs = Bundle("states"), Bundle("outputs")
index = st.integers(0, 5)
# A Module: a variable, or what is somewhere below one. The index wraps, so that there is always one.
place = st.one_of(
    modules,
    modules,
    modules,
    st.builds("at({}.modules(), {})".format, modules, index),
    st.builds("{}.{}".format, modules, pick(["a", "a", "a[2]", "a[0]", "w"])),
)
name = st.one_of(pick(NAMES[:6]), pick(NAMES)).map(repr)
any_name = st.one_of(name, name, name, pick(ODD_NAMES))
path = st.one_of(
    name.map(ast.literal_eval).map(repr),
    st.lists(pick(["a", "b", "w", "0", "1", "weight", "bias", ""]), min_size=1, max_size=3).map(".".join).map(repr),
)
any_path = st.one_of(path, path, path, pick(ODD_NAMES))
parameter = st.one_of(pick(PARAMETERS[:2]), pick(PARAMETERS))
tensor = st.one_of(tensors, parameter, pick(TENSORS))
value = st.one_of(modules, tensors, parameter, pick(TENSORS), pick(LEAVES), pick(PLAIN))
flag = pick(["True", "False", "True", "False", "None", "1", "0", "'x'", "[]"])
more = pick(["", "", "", "", ", scale=2.0", ", torch.ones(2, 2)", ", y=torch.eye(2)", ", other=1", ", None"])
given = st.one_of(tensors, pick(INPUTS), pick(INPUTS), pick(INPUTS))
odd = st.one_of(value, any_name, path, flag, states, handles, pick(["seen", "counter", "torch.float64", "'cpu'"]))


def filed(m):
    """The names of all that a Module has filed, as an expression."""
    return f"[*{m}._parameters, *{m}._buffers, *{m}._modules]"


@st.composite
def hook(draw, kinds):
    """A registration of a hook, as a function of the name that its handle will have."""
    register = draw(pick(sorted(kinds)))
    keywords, replacements = kinds[register]
    if draw(st.integers(0, 5)):
        keywords = [f"{keyword}=True" for keyword in keywords if draw(st.booleans())]
    else:
        chosen = draw(st.lists(pick(SWITCHES), max_size=2, unique_by=lambda text: text.partition("=")[0]))
        keywords = [text for text in chosen if text.partition("=")[0] in keywords or draw(st.integers(0, 5)) == 0]
    kind = draw(st.integers(0, 9))
    if kind == 0:
        function = draw(pick(["seen", "counter", "Counter()", "counter.method", "None", "3", "len", "nn.Linear"]))
        return lambda variable: f"{register}({', '.join([function, *keywords])})"
    acts = [
        *["", "", "", " or fail('{}')", " or {}.remove()", " or stop('{}')"],
        " or {place}.register_forward_hook(seen) and None",
        " or {handle}.remove()",
        " or delattr({place}, {name})",
        " or setattr({place}, {name}, {value})",
    ]
    act = draw(st.one_of(pick(acts[:5]), pick(acts), pick(replacements).map(lambda text: f" or {text.strip()}")))
    for key, values in (("place", modules), ("handle", handles), ("name", name), ("value", value)):
        if f"{{{key}}}" in act:
            act = act.replace(f"{{{key}}}", draw(values))

    def text(variable):
        does = act.replace("'{}'", repr(variable)).replace("{}.remove", f"{variable}.remove")
        return f"{register}({', '.join([f'lambda *a: note({variable!r}, *a){does}', *keywords])})"

    return text


class Programs(RuleBasedStateMachine):
    """Random programs. Each rule is a kind of step; the texts that it returns are names of variables."""

    pair = None  # set before it runs

    def __init__(self):
        super().__init__()
        self.steps, self.made = [], collections.Counter()

    def teardown(self):
        found = self.pair.compare(self.steps) if len(self.steps) > 5 else None  # or it ended before it had begun
        if found:
            raise found

    def run(self, kind, code, makes=None):
        """Add a statement or, with `makes`, an expression whose value gets a variable of that letter."""
        if makes is None:
            self.steps.append(Step(kind, code))
            return None
        variable = f"{makes}{self.made[makes]}"
        self.made[makes] += 1
        code = code(variable) if callable(code) else code
        self.steps.append(Step(kind, f"{variable} = {code}", f"{variable} = {OTHERWISE[makes]}"))
        return variable

    # One of each, because a rule with nothing to draw from would end its program.

    @initialize(target=modules, leaf=pick(["Net()", "tree()", "tree()", "nn.Sequential(tree())"]))
    def begin_with_a_module(self, leaf):
        return self.run("begin", leaf, "m")

    @initialize(target=tensors)
    def begin_with_a_tensor(self):
        return self.run("begin", "torch.ones(2)", "t")

    @initialize(target=handles)
    def begin_with_a_handle(self):
        return self.run("begin", "nn.Module().register_forward_hook(seen)", "h")

    @initialize(target=states)
    def begin_with_a_state(self):
        return self.run("begin", "nn.Linear(2, 2).state_dict()", "s")

    @initialize(target=outputs)
    def begin_with_an_output(self):
        return self.run("begin", "torch.ones(2, 2, requires_grad=True) * 2", "y")

    # --- trees ---

    @rule(target=modules, leaf=pick(LEAVES))
    def new_module(self, leaf):
        return self.run("new module", leaf, "m")

    @rule(target=modules, parts=st.lists(modules, max_size=3), kind=pick(["Sequential", "ModuleList", "ModuleDict"]))
    def new_container(self, parts, kind):
        inside = {
            "Sequential": ", ".join(parts),
            "ModuleList": f"[{', '.join(parts)}]",
            "ModuleDict": f"{{{', '.join(f'{name!r}: {part}' for name, part in zip('abc', parts, strict=False))}}}",
        }
        return self.run("new container", f"nn.{kind}({inside[kind]})", "m")

    @rule(target=modules, parts=st.lists(tensor, max_size=3), kind=pick(["List", "Dict"]))
    def new_parameters(self, parts, kind):
        inside = f"[{', '.join(parts)}]" if kind == "List" else f"dict(zip('abc', [{', '.join(parts)}]))"
        return self.run("new container", f"nn.Parameter{kind}({inside})", "m")

    @rule(target=tensors, tensor=st.one_of(parameter, pick(TENSORS), pick(INPUTS)))
    def new_tensor(self, tensor):
        return self.run("new tensor", tensor, "t")

    @rule(m=place, name=name, value=value)
    def assign(self, m, name, value):
        self.run("assign", f"setattr({m}, {name}, {value})")

    @rule(m=place, name=name, child=modules)
    def assign_child(self, m, name, child):
        self.run("assign", f"setattr({m}, {name}, {child})")

    @rule(m=place, name=name, tensor=tensor)
    def assign_tensor(self, m, name, tensor):
        self.run("assign", f"setattr({m}, {name}, {tensor})")

    @rule(m=place, name=name)
    def delete(self, m, name):
        self.run("delete", f"delattr({m}, {name})")

    @rule(m=place, index=index)
    def delete_what_is_there(self, m, index):
        self.run("delete", f"delattr({m}, at({filed(m)}, {index}))")

    @rule(m=place, index=index, value=st.one_of(tensor, value))
    def replace_what_is_there(self, m, index, value):
        self.run("assign", f"setattr({m}, at({filed(m)}, {index}), {value})")

    @rule(m=place, index=index, persistent=flag)
    def register_a_buffer_again(self, m, index, persistent):
        name = f"at({m}._buffers, {index})"
        self.run("register", f"{m}.register_buffer({name}, {m}._buffers[{name}], {persistent})")

    @rule(m=place, name=name)
    def read(self, m, name):
        self.run("read", f"result = getattr({m}, {name})")

    @rule(
        m=place,
        register=pick(["register_parameter", "register_buffer", "register_module", "add_module"]),
        name=any_name,
        value=st.one_of(value, tensor, parameter),
        more=st.one_of(st.just(""), flag.map(", persistent={}".format), flag.map(", {}".format)),
    )
    def register(self, m, register, name, value, more):
        more = more if register == "register_buffer" else ""
        self.run("register", f"{m}.{register}({name}, {value}{more})")

    @rule(m=place, table=pick(FIELDS), name=name, value=value)
    def put_into_a_table(self, m, table, name, value):
        self.run("put into a table", f"{m}.{table}[{name}] = {value}")

    @rule(m=place, table=pick(FIELDS), index=index)
    def take_from_a_table(self, m, table, index):
        self.run("put into a table", f"{m}.{table}.pop(at({m}.{table}, {index}))")

    @rule(
        m=modules,
        act=pick(
            [
                *["append({})", "insert({i}, {})", "extend([{}])", "pop({i})", "pop('a')", "update({{'a': {}}})"],
                *["__setitem__({i}, {})", "__setitem__('a', {})", "__delitem__({i})", "__getitem__({i})", "clear()"],
                *["__getitem__(slice({i}))", "__iadd__([{}])", "__len__()", "__contains__({})", "keys()", "copy()"],
                *["setdefault('a', {})", "popitem()", "__delitem__(slice({i}))"],
            ]
        ),
        value=value,
        index=st.integers(-2, 3),
    )
    def use_a_container(self, m, act, value, index):
        self.run("container", f"result = {m}.{act.format(value, i=index)}")

    @rule(m=modules, name=name, value=value)
    def put_on_the_class(self, m, name, value):
        self.run("class attribute", f"setattr(type({m}), {name}, {value})")

    # --- walks and paths ---

    @rule(
        m=place,
        walk=pick(["modules", "parameters", "buffers", "named_modules", "named_parameters", "named_buffers"]),
        prefix=st.one_of(st.just(""), any_name.map("prefix={}".format)),
        recurse=st.one_of(st.just(""), flag.map("recurse={}".format)),
        duplicate=st.one_of(st.just(""), flag.map("remove_duplicate={}".format)),
    )
    def walk(self, m, walk, prefix, recurse, duplicate):
        takes = {"modules": (duplicate,), "named_modules": (prefix, duplicate)}
        takes |= {"parameters": (recurse,), "buffers": (recurse,)}
        given = ", ".join(filter(None, takes.get(walk, (prefix, recurse, duplicate))))
        self.run("walk", f"result = list({m}.{walk}({given}))")

    @rule(m=place, memo=st.lists(modules, max_size=2), prefix=name)
    def walk_with_a_memo(self, m, memo, prefix):
        self.run("walk", f"result = list({m}.named_modules({{{', '.join([*memo, '3'])}}}, {prefix}))")

    @rule(m=place, get=pick(["get_submodule", "get_parameter", "get_buffer"]), path=any_path)
    def look_up(self, m, get, path):
        self.run("look up", f"result = {m}.{get}({path})")

    @rule(
        m=place, path=any_path, value=st.one_of(modules, value), strict=st.one_of(st.just(""), flag.map(", {}".format))
    )
    def set_submodule(self, m, path, value, strict):
        self.run("look up", f"{m}.set_submodule({path}, {value}{strict})")

    @rule(
        m=place,
        walk=pick(["named_parameters()", "named_modules()", "named_children()", "buffers()", "modules()"]),
        act=pick(["setattr({}, {}, {})", "delattr({}, {})", "{}._modules.clear()", "{}.add_module({}, None)"]),
        name=name,
        value=value,
    )
    def change_while_walking(self, m, walk, act, name, value):
        act = act.format(m, name, value)
        self.run("change while walking", f"result = [(one, {act}) for one in {m}.{walk}]")

    @rule(m=place, function=pick(["double", "None", "fail", "seen", "lambda m: delattr(m, 'w')", "nn.Module.eval"]))
    def apply(self, m, function):
        self.run("apply", f"result = {m}.apply({function})")

    @rule(m=place, show=pick(["repr({})", "str({})", "{}.extra_repr()", "{}._get_name()", "dir({})", "hash({}) and 1"]))
    def show(self, m, show):
        self.run("repr", f"result = {show.format(m)}")

    # --- modes and movement ---

    @rule(m=place, mode=pick(MODES))
    def change_mode(self, m, mode):
        self.run("mode", f"result = {m}.{mode}")

    @rule(m=place, move=pick(MOVES))
    def move(self, m, move):
        self.run("move", f"result = {m}.{move}")

    @rule(
        setting=pick(
            [
                *["torch.__future__.set_swap_module_params_on_conversion(True)"],
                *["torch.__future__.set_overwrite_module_params_on_conversion(True)"],
                *["torch.set_default_dtype(torch.float64)", "torch.set_grad_enabled(False)"],
                *["torch.set_default_device('meta')", "torch.set_default_device(None)"],
            ]
        ),
        back=st.booleans(),
    )
    def set_for_all(self, setting, back):
        if back:
            setting = setting.replace("True", "False").replace("64", "32").replace("enabled(False", "enabled(True")
        self.run("setting", setting)

    @rule(m=place, index=index, change=pick(["requires_grad_(False)", "data.mul_(2)", "detach_()", "grad.zero_()"]))
    def change_a_parameter(self, m, index, change):
        self.run("change a parameter", f"at({m}.parameters(), {index}).{change}")

    # --- hooks ---

    @rule(target=handles, m=place, hook=hook(HOOKS))
    def add_hook(self, m, hook):
        return self.run("hook", lambda variable: f"{m}.{hook(variable)}", "h")

    @rule(target=handles, m=place, hook=hook(CALLED), x=given, more=more)
    def hook_and_call(self, m, hook, x, more):
        handle = self.run("hook", lambda variable: f"{m}.{hook(variable)}", "h")
        self.run("call", f"result = {m}({x}{more})")
        return handle

    @rule(target=handles, m=place, hook=hook(CALLED), x=given)
    def hook_and_fail(self, m, hook, x):
        handle = self.run("hook", lambda variable: f"{m}.{hook(variable)}", "h")
        self.run("call", f"result = nn.Sequential({m}, Failing())({x})")
        self.run("call", f"result = {m}('no tensor', {x})")
        return handle

    @rule(target=handles, hook=hook(GLOBAL_CALLED), m=place, x=given, more=more)
    def hook_all_and_call(self, hook, m, x, more):
        handle = self.run("global hook", lambda variable: f"module_file.{hook(variable)}", "h")
        self.run("call", f"result = {m}({x}{more})")
        return handle

    @rule(target=handles, m=place, hook=hook(BACKWARD_CALLED), x=pick(INPUTS))
    def hook_and_backward(self, m, hook, x):
        handle = self.run("hook", lambda variable: f"{m}.{hook(variable)}", "h")
        self.run("backward", f"everything({m}({x})).backward()")
        return handle

    @rule(m=place, hook=hook(SAVED_AND_LOADED), strict=flag)
    def hook_and_save(self, m, hook, strict):
        self.run("hook", lambda variable: f"{m}.{hook(variable)}", "h")
        self.run("load", f"result = {m}.load_state_dict({m}.state_dict(), {strict})")

    @rule(target=handles, hook=hook(GLOBAL_HOOKS))
    def add_global_hook(self, hook):
        return self.run("global hook", lambda variable: f"module_file.{hook(variable)}", "h")

    @rule(handle=handles, how=pick(["{}.remove()", "with {}: pass", "copy.deepcopy({}).remove()", "{0} = None"]))
    def remove_hook(self, handle, how):
        self.run("remove a hook", how.format(handle))

    @rule(m=place, table=pick(TABLES), act=pick(["clear()", "update({0: seen})", "popitem()", "update({1: True})"]))
    def change_hook_table(self, m, table, act):
        self.run("put into a table", f"{m}.{table}.{act}")

    # --- calling ---

    @rule(
        target=outputs,
        m=place,
        x=given,
        more=more,
    )
    def call(self, m, x, more):
        return self.run("call", f"{m}({x}{more})", "y")

    @rule(target=outputs, m=place, y=outputs)
    def call_again(self, m, y):
        return self.run("call", f"{m}({y})", "y")

    @rule(
        target=outputs,
        m=place,
        arguments=pick(["", "3", "[torch.ones(2, 2)]", "x=torch.ones(2, 2)", "torch.ones(2, 2), 3"]),
    )
    def call_oddly(self, m, arguments):
        return self.run("call", f"{m}({arguments})", "y")

    @rule(m=place, x=given, around=pick(["torch.no_grad()", "torch.inference_mode()", "torch.device('meta')"]))
    def call_within(self, m, x, around):
        self.run("call", f"with {around}: result = {m}({x})")

    @rule(y=outputs, more=pick(["", "", "", "retain_graph=True", "create_graph=True"]))
    def backward(self, y, more):
        self.run("backward", f"everything({y}).backward({more})")

    @rule(m=place, x=pick(INPUTS), to_none=pick(["", "False", "False"]))
    def train_a_step(self, m, x, to_none):
        self.run("backward", f"everything({m}({x})).backward()")
        self.run("mode", f"{m}.zero_grad({to_none})")

    @rule(m=place, x=pick(INPUTS), y=pick(["everything({})", "(everything({}) * 2)"]))
    def call_and_backward(self, m, x, y):
        self.run("backward", f"{y.format(f'{m}({x})')}.backward()")

    @rule(m=place, state=states, x=pick(INPUTS), more=pick(["", ", strict=True", ", tie_weights=False"]))
    def functional_call(self, m, state, x, more):
        self.run("functional call", f"result = torch.func.functional_call({m}, {state}, ({x},){more})")

    @rule(m=place, x=pick(INPUTS), factor=pick(["0", "2"]))
    def functional_call_with_parameters(self, m, x, factor):
        given = f"{{name: p * {factor} for name, p in {m}.named_parameters()}}"
        self.run("functional call", f"result = torch.func.functional_call({m}, {given}, ({x},))")

    # --- saving and loading ---

    @rule(
        target=states,
        m=place,
        how=pick(
            [
                *[
                    "",
                    "",
                    "",
                    "keep_vars=True",
                    "prefix='a.'",
                    "prefix='a'",
                    "destination={}",
                    "destination={}, keep_vars=1",
                ],
                *["{}", "{}, 'a.'", "{}, 'a.', True", "None, 3", "prefix=None", "destination=3", "3", "keep_vars='x'"],
                *["{}, destination={'x': 1}", "collections.OrderedDict(), prefix='b.'"],
            ]
        ),
    )
    def save(self, m, how):
        return self.run("save", f"{m}.state_dict({how})", "s")

    @rule(
        target=states, state=states, how=pick(["copy.deepcopy({})", "copy.copy({})", "through_pickle({})", "dict({})"])
    )
    def copy_state(self, state, how):
        return self.run("damage", how.format(state), "s")

    @rule(
        state=states,
        act=pick(
            [
                *["{s}.pop(at({s}, {i}))", "{s}[at({s}, {i})] = {v}", "{s}[{n}] = {v}", "del {s}._metadata"],
                *["{s}[at({s}, {i})] = {s}[at({s}, {i})].double()", "{s}['_extra_state'] = {v}", "{s}.clear()"],
                *["{s}[at({s}, {i})] = {s}[at({s}, {i})][None]", "{s}[at({s}, {i}) + '.x'] = torch.ones(1)"],
                *["{s}._metadata.clear()", "{s}._metadata[''] = {{'version': 1}}", "{s}['old'] = {v}"],
                *["{s}[at({s}, {i})] = nn.Parameter({s}[at({s}, {i})])", "{s}[at({s}, {i})] = {s}.pop(at({s}, 0))"],
                *["{s}['a.' + at({s}, {i})] = {v}", "{s}[at({s}, {i})].zero_()", "{s}[3] = {v}"],
                *["{s}[at({s}, {i})] = {s}[at({s}, {i})].to('meta')", "{s}._metadata = None", "{s}._metadata = {{}}"],
            ]
        ),
        index=index,
        name=name,
        value=st.one_of(tensor, value),
    )
    def damage(self, state, act, index, name, value):
        self.run("damage", act.format(s=state, i=index, n=name, v=value))

    @rule(
        m=place,
        state=st.one_of(states, states, states, pick(["{}", "None", "[]", "collections.OrderedDict(w=torch.ones(2))"])),
        strict=pick(["", "", "strict=False", "strict=None", "strict='x'"]),
        assign=pick(["", "", "assign=True", "assign=1", "assign=None"]),
    )
    def load(self, m, state, strict, assign):
        self.run("load", f"result = {m}.load_state_dict({', '.join([state, *filter(None, (strict, assign))])})")

    @rule(m=place, other=place, keep=pick(["", "keep_vars=True"]), how=pick(["", ", assign=True", ", strict=False"]))
    def load_from_another(self, m, other, keep, how):
        self.run("load", f"result = {m}.load_state_dict({other}.state_dict({keep}){how})")

    @rule(m=place, state=states, prefix=pick(["''", "'a.'", "'b'"]), strict=flag)
    def load_one(self, m, state, prefix, strict):
        call = f"{m}._load_from_state_dict({state}, {prefix}, {{}}, {strict}, result[0], result[1], result[2])"
        self.run("load", f"result = [], [], []; {call}")

    # --- copies ---

    @rule(
        target=modules,
        m=place,
        how=pick(
            [
                *["copy.copy({})", "copy.deepcopy({})", "through_pickle({})", "through_file({})"],
                *["revive(type({0}), {0}.__getstate__())", "{}._replicate_for_data_parallel()"],
                *["copy.deepcopy([{0}, {0}])[1]", "torch.optim.swa_utils.AveragedModel({})"],
            ]
        ),
        index=st.integers(0, 20),
    )
    def copy_module(self, m, how, index):
        return self.run("copy", how.format(m, index), "m")

    @rule(target=modules, m=place, first=st.integers(0, 20), second=st.integers(0, 20))
    def revive(self, m, first, second):
        return self.run("copy", f"revive(type({m}), without(without(vars({m}), {first}), {second}))", "m")

    @rule(target=modules, m=place)
    def same_module(self, m):
        return self.run("copy", m, "m")

    @rule(m=modules, collect=st.integers(0, 3))
    def forget(self, m, collect):
        self.run("forget", "gc.collect()" if collect else f"{m} = Net()")

    # --- anything ---

    @rule(
        m=place,
        method=pick(METHODS),
        given=st.lists(odd, max_size=3),
        keywords=st.dictionaries(pick(KEYWORDS), odd, max_size=2),
    )
    def call_any_method(self, m, method, given, keywords):
        given = [*given, *(f"{key}={value}" for key, value in keywords.items())]
        self.run("any method", f"result = drain({m}.{method}({', '.join(given)}))")


# --- running --------------------------------------------------------------------------------------------------------


def search(pair, programs, seed=None, steps=30, shrink=True):
    """Run new programs; return the shortest that shows a difference, as a text, if there is any."""
    machine = type("Machine", (Programs,), {"pair": pair})
    if seed is not None:
        machine._hypothesis_internal_use_seed = seed
    how = settings(
        max_examples=programs,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        derandomize=seed is None,
        phases=[Phase.generate, *([Phase.shrink] if shrink else [])],
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
    )
    try:
        with with_reporter(lambda text: None):
            run_state_machine_as_test(machine, settings=how)
    except Difference as found:
        return as_program(without_idle_steps(pair, found))
    return None


def summary(pair, seconds, differences):
    """Say what has been compared."""
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in pair.kinds.most_common())
    errors = ", ".join(f"{kind} {count:,}" for kind, count in pair.raised.most_common(12))
    return "\n".join(
        [
            f"{pair.programs:,} programs, {pair.steps:,} steps compared in {seconds:.0f} s: {differences} differences",
            f"steps by kind: {kinds}",
            f"{sum(pair.raised.values()):,} steps raised, the same on both: {errors}",
            f"ended early: {pair.cut - pair.slow:,} programs by endless recursion or a crash, {pair.slow} by the clock",
        ]
    )


def main():
    """Run until the time is over or something differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=None, help="where to begin; by default at random")
    parser.add_argument("--quick", action="store_true", help="do not let Hypothesis shrink")
    parser.add_argument("--steps", type=int, default=30, help="statements in a program, at most")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the folder whose scratch/ is run; by default this one")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    pair, found, start = Pair(folder=options.tree), None, time.monotonic()
    print(f"hypothesis {hypothesis.__version__}, seed {seed}\ntorch.nn: {pair.origins[0]}\nscratch:  {pair.origins[1]}")
    while found is None and time.monotonic() - start < 60 * options.minutes:
        found = search(pair, 200, seed, options.steps, not options.quick)
        seed += 1
    if found:
        print(f"\nThe two Modules differ after this program (seed {seed - 1}):\n\n{found}")
    print(summary(pair, time.monotonic() - start, "no" if found is None else "some"))
    pair.close()
    return 0 if found is None else 1


if __name__ == "__main__":
    sys.exit(main())
