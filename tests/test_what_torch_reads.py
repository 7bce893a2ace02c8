"""Every private name that torch's sources take from the Module's file, from its class or from an instance is in ours.

The list is made from the sources of the torch that is installed, by reading them: so a new torch that wants a new name
fails here with that name. Public names, and what they take, are in test_exported_names.py.
"""

import ast
import importlib.util
import re
import sys
from functools import cache
from pathlib import Path

import pytest
import torch
from torch.nn.modules import module as stock

ROOT = Path(__file__).resolve().parent.parent
TORCH = Path(torch.__file__).parent
TARGET = "torch.nn.modules.module"


@cache
def ours():
    """Load our file beside PyTorch's, as a module by itself."""
    spec = importlib.util.spec_from_file_location("module_by_itself", ROOT / "scratch" / "module.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stock_file():
    """The Module's file of the torch that is installed."""
    return TORCH / "nn" / "modules" / "module.py"


def dotted(node):
    """Write a chain of names as its source has it, or nothing where it is another expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return before and f"{before}.{node.attr}"
    return None


def package(path, level):
    """Name the package that a relative import of this many dots begins from."""
    parts = ["torch", *path.relative_to(TORCH).parts[:-1]]
    return parts[: len(parts) - level + 1]


def nodes_of(text):
    """List every node of a source."""
    return list(ast.walk(ast.parse(text)))


def taken_from_the_file(nodes, path):
    """List the names that one source takes from torch.nn.modules.module: by import, by attribute, or by monkeypatch."""
    known_as = {TARGET}
    taken = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            place = ".".join([*(package(path, node.level) if node.level else []), *filter(None, [node.module])])
            if place == TARGET:
                taken |= {alias.name for alias in node.names}
            elif place == "torch.nn.modules":
                known_as |= {alias.asname or alias.name for alias in node.names if alias.name == "module"}
            elif place == "torch.nn":
                known_as |= {f"{alias.asname or alias.name}.module" for alias in node.names if alias.name == "modules"}
            elif place == "torch":
                known_as |= {f"{alias.asname or 'nn'}.modules.module" for alias in node.names if alias.name == "nn"}
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == TARGET and alias.asname:
                    known_as.add(alias.asname)
                elif alias.name == "torch.nn" and alias.asname:
                    known_as.add(f"{alias.asname}.modules.module")
    for node in nodes:
        if isinstance(node, ast.Attribute) and dotted(node.value) in known_as:
            taken.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(f"{TARGET}."):
            name = node.value[len(TARGET) + 1 :].split(".")[0]
            taken |= {name} if name.isidentifier() else set()
    return {name for name in taken if not (name.startswith("__") and name.endswith("__"))}


def private_words(nodes):
    """List every private name that one source takes from any object at all, also as a text, as getattr takes it."""
    words = set()
    for node in nodes:
        if isinstance(node, ast.Attribute):
            words.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 60:
            words.add(node.value)
    return {word for word in words if word.startswith("_") and not word.startswith("__") and word.isidentifier()}


@cache
def own(module):
    """List what stock's Module keeps on its class and in an instance, and the smaller classes beside it likewise."""
    return {*vars(module.Module), *vars(module.Module()), *module.Module.__annotations__}


@cache
def put_on_objects(file):
    """List the private fields that a file puts on objects as it runs: on a replica, a hook, a state_dict."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    put = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    return {name for name in put if name.startswith("_") and not name.startswith("__")}


WAYS = ("modules.module", "modules import", ".module import", "import module")  # plain texts: the quickest search


@cache
def private_names():
    """Make the pattern of each private name that could be read from a Module or from its file."""
    names = own(stock) | put_on_objects(stock_file())
    words = "|".join(name[1:] for name in names if name.startswith("_") and not name.startswith("__"))
    return re.compile(rf"_(?<!\w_)(?:{words})\b")  # one that begins with a plain character is found sooner


def may_read(text):
    """Say whether a source is worth parsing: of 2,300 files, some 200 can have anything to find."""
    return any(way in text for way in WAYS) or private_names().search(text) is not None


@cache
def read_torch():
    """Read all of torch's sources: which file takes which names from the Module's file, and which private words."""
    names, words = {}, {}
    for path in sorted(TORCH.rglob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if path == stock_file() or not may_read(text):
            continue
        nodes, place = nodes_of(text), path.relative_to(TORCH).as_posix()
        for name in taken_from_the_file(nodes, path):
            names.setdefault(name, []).append(place)
        for word in private_words(nodes):
            words.setdefault(word, []).append(place)
    return names, words


def missing(readers, there):
    """Write down each name that is read and not there, with a file that reads it."""
    return [f"{name}, read by torch/{places[0]}" for name, places in sorted(readers.items()) if name not in there]


def test_every_name_that_torch_takes_from_the_file_is_in_ours():
    names, _ = read_torch()
    real = {name: places for name, places in names.items() if hasattr(stock, name)}
    assert missing(real, vars(ours())) == []


def test_every_private_field_and_method_of_a_module_that_torch_reads_is_in_ours():
    _, words = read_torch()
    of_stock = own(stock)
    real = {word: places for word, places in words.items() if word in of_stock}
    assert missing(real, own(ours())) == []


def test_every_private_field_that_torch_reads_and_the_file_sets_later_is_set_by_ours_too():
    _, words = read_torch()
    later = put_on_objects(stock_file())
    assert {"_is_replica", "_metadata"} <= later & set(words)
    real = {word: places for word, places in words.items() if word in later}
    assert missing(real, own(ours()) | put_on_objects(ROOT / "scratch" / "module.py")) == []


def test_what_is_read_from_the_class_is_on_the_class_and_the_rest_in_each_instance():
    _, words = read_torch()
    for word in words:
        assert (word in vars(ours().Module)) == (word in vars(stock.Module)), word
        assert (word in vars(ours().Module())) == (word in vars(stock.Module())), word


@pytest.mark.parametrize("name", ["_WrappedHook", "_IncompatibleKeys"])
def test_the_smaller_classes_keep_what_a_pickle_of_them_holds(name):
    public = {word for word in vars(getattr(stock, name)) if not word.startswith("__")}
    assert public <= set(dir(getattr(ours(), name)))


# --- that the reading reads ---------------------------------------------------------------------------------------


def test_the_reading_finds_what_is_known_to_be_read():
    names, words = read_torch()
    assert {"Module", "_addindent", "_global_forward_hooks", "_has_any_global_hook", "_IncompatibleKeys"} <= set(names)
    assert {"_EXTRA_STATE_KEY_SUFFIX", "register_module_forward_hook", "_global_backward_hooks"} <= set(names)
    assert {"_parameters", "_buffers", "_modules", "_forward_hooks", "_call_impl", "_slow_forward"} <= set(words)
    assert {"_non_persistent_buffers_set", "_apply", "_is_full_backward_hook", "_replicate_for_data_parallel"} <= set(
        words
    )
    assert "fsdp" in " ".join(words["_apply"])


SOURCES = {
    "from torch.nn.modules.module import _new": {"_new"},
    "from .module import _new, Module as M": {"_new", "Module"},
    "from . import module\nmodule._new()": {"_new"},
    "from torch import nn\nnn.modules.module._new": {"_new"},
    "import torch\nif torch.nn.modules.module._new: pass": {"_new"},
    "import torch.nn as layers\nlayers.modules.module._new = 3": {"_new"},
    "import torch.nn.modules.module as file\nfile._new": {"_new"},
    "from torch.nn import modules\nmodules.module._new": {"_new"},
    "rules = {'torch.nn.modules.module._new': 1, 'torch.nn.modules.module.Module.forward': 2}": {"_new", "Module"},
    "other.module._new": set(),
}


@pytest.mark.parametrize("source", SOURCES)
def test_a_new_name_is_found_however_it_is_taken(source):
    assert taken_from_the_file(nodes_of(source), TORCH / "nn" / "modules" / "new.py") == SOURCES[source]


def test_a_new_private_field_is_found_however_it_is_read():
    source = "module._new; getattr(module, '_newer'); '_newest' in module.__dict__; module._set = 3; module.public"
    assert private_words(nodes_of(source)) == {"_new", "_newer", "_newest", "_set"}


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("del reading.ours()._addindent", "_addindent, read by torch/"),
        ("del reading.ours().Module._slow_forward", "_slow_forward, read by torch/"),
        ("reading.ours()._FIELDS.pop('_forward_hooks'); del reading.ours().Module.__annotations__['_forward_hooks']",
         "_forward_hooks, read by torch/"),
    ],
)  # fmt: skip
def test_a_name_that_ours_lacks_is_named_with_its_reader(damage, said, monkeypatch):
    fresh = ours.__wrapped__()
    monkeypatch.setattr(sys.modules[__name__], "ours", lambda: fresh)
    exec(damage, {"reading": sys.modules[__name__]})
    failures = []
    for test in (
        test_every_name_that_torch_takes_from_the_file_is_in_ours,
        test_every_private_field_and_method_of_a_module_that_torch_reads_is_in_ours,
    ):
        try:
            test()
        except AssertionError as error:
            failures.append(str(error))
    assert len(failures) == 1 and said in failures[0]
