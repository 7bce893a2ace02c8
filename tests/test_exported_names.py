"""The public surface, pinned: what torch.nn.modules.module offers, and what its Module and its functions take.

Every name, parameter and default is read from the source of the installed torch, whichever its version, so a torch that
adds one fails here with that name until ours has it too.
"""

import ast
import inspect
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn.modules import module as names

SOURCE = Path(torch.__file__).parent / "nn" / "modules" / "module.py"
TREE = ast.parse(SOURCE.read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in TREE.body if isinstance(node, ast.ClassDef)}


def bound(body):
    """Name everything that a body of statements binds by `def`, `class` or assignment, in order, each once."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            found[node.target.id] = node
        elif isinstance(node, ast.Assign):
            found |= {target.id: node for target in node.targets}
    return found


OF_FILE, OF_CLASS = bound(TREE.body), bound(CLASSES["Module"].body)
FUNCTIONS = {name: node for name, node in OF_FILE.items() if isinstance(node, ast.FunctionDef)}
METHODS = {name: node for name, node in OF_CLASS.items() if isinstance(node, ast.FunctionDef)}


def taken(arguments):
    """Write down the parameters of a function, each with its kind and default, as `inspect.signature` has them."""
    first = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(first) - len(arguments.defaults)) + list(map(ast.unparse, arguments.defaults))
    listed = [("POSITIONAL_OR_KEYWORD", a.arg, d) for a, d in zip(first, defaults, strict=True)]
    if arguments.vararg:
        listed.append(("VAR_POSITIONAL", arguments.vararg.arg, None))
    for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        listed.append(("KEYWORD_ONLY", a.arg, d and ast.unparse(d)))
    if arguments.kwarg:
        listed.append(("VAR_KEYWORD", arguments.kwarg.arg, None))
    return listed


def given(function):
    """The same of the function that is really there."""
    return [
        (parameter.kind.name, name, None if parameter.default is parameter.empty else repr(parameter.default))
        for name, parameter in inspect.signature(function).parameters.items()
    ]


def test_the_list_of_public_names_is_that_of_torch():
    (listed,) = [ast.literal_eval(node.value) for name, node in OF_FILE.items() if name == "__all__"]
    assert sorted(names.__all__) == sorted(listed)


@pytest.mark.parametrize("name", OF_FILE)
def test_every_name_of_the_file_is_there(name):
    assert hasattr(names, name)


@pytest.mark.parametrize("name", OF_CLASS)
def test_every_name_of_the_class_is_there(name):
    assert name in vars(nn.Module)


def test_the_class_has_no_public_name_of_its_own():
    public = {name for name in vars(nn.Module) if not name.startswith("_")}
    assert public <= set(OF_CLASS)


def test_the_annotations_of_the_class_are_all_there():
    annotated = {node.target.id for node in CLASSES["Module"].body if isinstance(node, ast.AnnAssign)}
    assert set(nn.Module.__annotations__) == annotated


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_takes_the_same_parameters(name):
    assert given(getattr(names, name)) == taken(FUNCTIONS[name].args)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_takes_the_same_parameters(name):
    assert given(vars(nn.Module)[name]) == taken(METHODS[name].args)


@pytest.mark.parametrize("name", [name for name in CLASSES if name != "Module"])
def test_the_smaller_classes_have_the_same_methods(name):
    methods = {m: node for m, node in bound(CLASSES[name].body).items() if isinstance(node, ast.FunctionDef)}
    for method, node in methods.items():
        assert given(vars(getattr(names, name))[method]) == taken(node.args), method


def test_what_is_public_says_what_it_is_for():
    public = [getattr(names, name) for name in names.__all__]
    public += [vars(nn.Module)[name] for name in METHODS if not name.startswith("_")]
    assert [thing.__qualname__ for thing in public if not inspect.getdoc(thing)] == []
