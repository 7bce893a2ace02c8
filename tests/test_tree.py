"""Everything that walks the registries: named_*, children, modules, apply, and paths."""

import inspect
import sys

import pytest
import torch
from exactly import raises
from torch import nn


class Pair(nn.Module):
    """Hold one Parameter, one buffer and up to two children."""

    def __init__(self, first=None, second=None):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(1))
        self.register_buffer("b", torch.zeros(1))
        if first is not None:
            self.first = first
        if second is not None:
            self.second = second


def listed(pairs):
    return [name for name, _ in pairs]


@pytest.fixture
def tree():
    return Pair(Pair(Pair()), Pair())


# --- order, names and duplicates ---------------------------------------------------------------------------------


def test_named_parameters_go_depth_first_own_ones_before_those_of_children(tree):
    assert listed(tree.named_parameters()) == ["w", "first.w", "first.first.w", "second.w"]
    assert [p for _, p in tree.named_parameters()] == [tree.w, tree.first.w, tree.first.first.w, tree.second.w]


def test_named_buffers_go_in_the_same_order(tree):
    assert listed(tree.named_buffers()) == ["b", "first.b", "first.first.b", "second.b"]
    buffers = [tree.b, tree.first.b, tree.first.first.b, tree.second.b]
    assert all(a is b for (_, a), b in zip(tree.named_buffers(), buffers, strict=True))


def test_parameters_and_buffers_are_the_named_ones_without_names(tree):
    assert [id(p) for p in tree.parameters()] == [id(p) for _, p in tree.named_parameters()]
    assert [id(b) for b in tree.buffers()] == [id(b) for _, b in tree.named_buffers()]


def test_members_without_recurse_are_the_own_ones(tree):
    assert listed(tree.named_parameters(recurse=False)) == ["w"]
    assert listed(tree.named_buffers(recurse=False)) == ["b"]
    assert list(tree.parameters(recurse=False)) == [tree.w] == list(tree.parameters(False))
    assert next(iter(tree.buffers(recurse=False))) is tree.b is next(iter(tree.buffers(False)))


class Asked(str):
    """Note each time that somebody asks whether this text is empty."""

    def __bool__(self):
        asked.append(str(self))
        return True


asked = []


def test_a_prefix_is_looked_at_only_where_something_is_to_be_named():
    asked.clear()
    assert listed(nn.Module().named_modules(prefix=Asked("m"))) == ["m"] and asked == []
    assert listed(nn.Module().named_parameters(prefix=Asked("m"))) == [] and asked == []
    layer = nn.Linear(2, 2)
    assert listed(layer.named_parameters(prefix=Asked("m"))) == ["m.weight", "m.bias"] and asked == ["m", "m"]


def test_a_prefix_stands_before_every_name(tree):
    assert listed(tree.named_parameters("m")) == ["m.w", "m.first.w", "m.first.first.w", "m.second.w"]
    assert listed(tree.named_parameters("m", False)) == ["m.w"]
    assert listed(tree.named_buffers("m")) == ["m.b", "m.first.b", "m.first.first.b", "m.second.b"]
    assert listed(tree.named_buffers("m", False)) == ["m.b"]
    assert listed(tree.named_modules(prefix="m")) == ["m", "m.first", "m.first.first", "m.second"]


def test_a_shared_member_is_listed_once_under_its_first_name(tree):
    tree.second.w, tree.second.b = tree.first.w, tree.first.b
    assert listed(tree.named_parameters()) == ["w", "first.w", "first.first.w"]
    assert listed(tree.named_buffers()) == ["b", "first.b", "first.first.b"]
    assert len(list(tree.parameters())) == len(list(tree.buffers())) == 3


def test_a_shared_member_is_listed_under_each_name_on_request(tree):
    tree.second.w, tree.second.b = tree.first.w, tree.first.b
    assert listed(tree.named_parameters(remove_duplicate=False))[3] == "second.w"
    assert listed(tree.named_buffers(remove_duplicate=False))[3] == "second.b"
    assert listed(tree.named_parameters("", True, False)) == listed(tree.named_parameters(remove_duplicate=False))
    assert listed(tree.named_buffers("", True, False)) == listed(tree.named_buffers(remove_duplicate=False))


def test_two_names_in_one_module_for_one_member_are_one_entry():
    m = nn.Module()
    m.a = m.b = nn.Parameter(torch.zeros(1))
    m.register_buffer("c", torch.zeros(1))
    m.register_buffer("d", m.c)
    assert listed(m.named_parameters()) == ["a"] == listed(m.named_parameters(recurse=False))
    assert listed(m.named_buffers()) == ["c"] == listed(m.named_buffers(recurse=False))
    assert listed(m.named_parameters(recurse=False, remove_duplicate=False)) == ["a", "b"]
    assert listed(m.named_buffers(recurse=False, remove_duplicate=False)) == ["c", "d"]


def test_slots_that_hold_none_are_not_listed():
    m = nn.Module()
    m.register_parameter("w", None)
    m.register_buffer("b", None)
    m.add_module("c", None)
    assert list(m.named_parameters(remove_duplicate=False)) == list(m.named_buffers(remove_duplicate=False)) == []
    assert list(m.named_children()) == list(m.children()) == []
    assert listed(m.named_modules()) == listed(m.named_modules(remove_duplicate=False)) == [""]


def test_a_shared_module_is_walked_once():
    shared = Pair()
    tree = Pair(shared, Pair(shared))
    assert listed(tree.named_modules()) == ["", "first", "second"]
    assert listed(tree.named_parameters()) == ["w", "first.w", "second.w"]


def test_a_shared_module_is_walked_at_each_place_on_request():
    shared = Pair()
    tree = Pair(shared, Pair(shared))
    names = ["", "first", "second", "second.first"]
    assert listed(tree.named_modules(remove_duplicate=False)) == names
    assert list(tree.modules(remove_duplicate=False)) == [tree, shared, tree.second, shared]
    assert list(tree.modules(False)) == list(tree.modules(remove_duplicate=False))
    assert listed(tree.named_parameters(remove_duplicate=False)) == ["w", "first.w", "second.w", "second.first.w"]


def test_modules_start_with_the_root_itself(tree):
    assert list(tree.modules()) == [tree, tree.first, tree.first.first, tree.second]
    assert list(tree.named_modules()) == list(
        zip(["", "first", "first.first", "second"], [tree, tree.first, tree.first.first, tree.second], strict=True)
    )


def test_children_stay_one_level_deep_and_name_each_once(tree):
    tree.again = tree.first
    assert list(tree.named_children()) == [("first", tree.first), ("second", tree.second)]
    assert list(tree.children()) == [tree.first, tree.second]


def test_named_modules_skips_and_fills_the_memo_that_it_is_given(tree):
    memo = {tree.first}
    assert listed(tree.named_modules(memo)) == ["", "second"]
    assert memo == {tree, tree.first, tree.second}
    assert listed(tree.named_modules(memo)) == []
    assert listed(tree.second.named_modules(memo, "p", False)) == []


def test_named_modules_without_removal_leaves_the_memo_alone(tree):
    memo = set()
    assert len(list(tree.named_modules(memo, "", False))) == 4
    assert memo == set()


def test_named_modules_honours_an_empty_memo_and_an_override_below():
    given = []

    class Own(Pair):
        def named_modules(self, memo=None, prefix="", remove_duplicate=True):
            given.append((memo is not None, prefix, remove_duplicate))
            return super().named_modules(memo, prefix, remove_duplicate)

    assert listed(Pair(Own()).named_modules(prefix="m")) == ["m", "m.first"]
    assert given == [(True, "m.first", True)]


def test_walks_are_generators_that_begin_when_read(tree):
    walks = [tree.parameters(), tree.named_parameters(), tree.buffers(), tree.named_buffers(), tree.children()]
    walks += [tree.named_children(), tree.modules(), tree.named_modules()]
    assert all(inspect.isgenerator(walk) for walk in walks)
    tree.added = Pair()
    assert [len(list(walk)) for walk in walks] == [5, 5, 5, 5, 3, 3, 5, 5]


def test_parameters_make_one_walk_over_the_modules_and_get_parameter_none():
    walks = []

    class Counted(nn.Sequential):
        def named_modules(self, *args, **kwargs):
            walks.append(1)
            yield from super().named_modules(*args, **kwargs)

    root = Counted(*[Counted(nn.Linear(1, 1), nn.Linear(1, 1)) for _ in range(3)])
    parameters = root.parameters()
    assert walks == []
    next(parameters)
    assert len(walks) == 2
    list(root.parameters())
    assert len(walks) == 2 + 4
    root.get_parameter("2.1.weight")
    assert len(walks) == 2 + 4


def test_overrides_of_named_walks_are_what_the_others_use():
    class Own(Pair):
        def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
            yield "own", recurse

        def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
            yield "own", recurse

        def named_children(self):
            yield "own", "child"

        def named_modules(self, memo=None, prefix="", remove_duplicate=True):
            yield "own", remove_duplicate

    m = Own()
    assert list(m.parameters()) == list(m.buffers()) == list(m.modules()) == [True]
    assert list(m.parameters(False)) == list(m.buffers(False)) == list(m.modules(False)) == [False]
    assert list(m.children()) == ["child"]


def test_named_members_is_the_walk_that_others_build_on(tree):
    walk = tree._named_members(lambda m: [("kind", type(m).__name__), ("none", None)], "p")
    assert list(walk) == [("p.kind", "Pair")]
    walk = tree._named_members(lambda m: [("id", id(m))], prefix="", recurse=True, remove_duplicate=False)
    assert listed(walk) == ["id", "first.id", "first.first.id", "second.id"]
    assert list(tree._named_members(lambda m: m._parameters.items(), recurse=False)) == [("w", tree.w)]


def test_the_duplicate_check_uses_hash_and_equality():
    class Same(Pair):
        def __eq__(self, other):
            return type(other) is type(self)

        def __hash__(self):
            return 1

    class NoHash(nn.Module):
        def __eq__(self, other):
            return self is other

    tree = nn.Sequential(Same(), Same())
    assert listed(tree.named_parameters()) == ["0.w"] and len(list(tree.children())) == 1
    assert list(tree.state_dict()) == ["0.w", "0.b", "1.w", "1.b"]
    with pytest.raises(TypeError, match="unhashable"):
        list(NoHash().parameters())


def test_a_child_that_points_back_is_listed_but_not_recursed_into():
    class Child(nn.Module):
        def __init__(self, up):
            super().__init__()
            self.w = nn.Parameter(torch.zeros(1))
            self.up = up

    parent = nn.Module()
    parent.kid = Child(parent)
    assert listed(parent.named_modules()) == ["", "kid"] and listed(parent.named_parameters()) == ["kid.w"]
    parent.zero_grad()
    parent.requires_grad_(False)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    try:
        for walk in (parent.eval, parent.float, parent.state_dict, parent.__repr__, lambda: parent.apply(print)):
            with pytest.raises(RecursionError):
                walk()
    finally:
        sys.setrecursionlimit(limit)


def test_adding_a_child_while_walking_is_an_error_of_the_dict(tree):
    with pytest.raises(RuntimeError, match="changed size during iteration"):
        for child in tree.children():
            tree.add_module(f"more {id(child)}", nn.Module())


# --- apply -------------------------------------------------------------------------------------------------------


def test_apply_visits_children_before_their_parent_and_returns_the_module(tree):
    names = {m: name for name, m in tree.named_modules()}
    seen = []
    assert tree.apply(lambda m: seen.append(names[m])) is tree
    assert seen == ["first.first", "first", "second", ""]


def test_apply_visits_a_child_once_per_parent():
    shared, seen = Pair(), []
    Pair(shared, Pair(shared)).apply(seen.append)
    assert seen.count(shared) == 2 and len(seen) == 4
    seen.clear()
    Pair(shared, shared).apply(seen.append)
    assert seen.count(shared) == 1


def test_apply_goes_through_the_apply_of_the_children():
    class Closed(Pair):
        def apply(self, fn):
            return "kept out"

    seen = []
    tree = Pair(Closed())
    tree.apply(seen.append)
    assert seen == [tree]


def test_apply_initialises_a_model_in_place():
    def init(m):
        if isinstance(m, nn.Linear):
            m.weight.data.fill_(2.0)

    net = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Linear(1, 1)).apply(init)
    assert [p.item() for name, p in net.named_parameters() if "weight" in name] == [2.0, 2.0]


# --- paths -------------------------------------------------------------------------------------------------------


@pytest.fixture
def net():
    m = nn.Module()
    m.net = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
    m.width = 3
    m.scale = nn.Parameter(torch.ones(1))
    m.register_buffer("mask", torch.ones(1), persistent=False)
    m.table = torch.ones(1)
    m.register_parameter("no_parameter", None)
    m.register_buffer("no_buffer", None)
    m.add_module("no_child", None)
    return m


def test_get_submodule_follows_the_path(net):
    assert net.get_submodule("") is net
    assert net.get_submodule("net") is net.net
    assert net.get_submodule("net.0") is net.net[0]


def test_get_submodule_names_what_is_missing_or_no_module(net):
    with raises(AttributeError, "Module has no attribute `foo`"):
        net.get_submodule("foo.0")
    with raises(AttributeError, "Sequential has no attribute `7`"):
        net.get_submodule("net.7")
    with raises(AttributeError, "`width` is not an nn.Module"):
        net.get_submodule("width")
    with raises(AttributeError, "`scale` is not an nn.Module"):
        net.get_submodule("scale.data")
    with raises(AttributeError, "`no_child` is not an nn.Module"):
        net.get_submodule("no_child")
    with raises(AttributeError, "Module has no attribute ``"):
        net.get_submodule(".net")


def test_a_path_or_prefix_that_is_no_string_is_an_error(net):
    with pytest.raises(AttributeError):
        net.get_submodule(None)
    with pytest.raises(TypeError):
        list(net.named_parameters(prefix=3))


def test_get_parameter_and_get_buffer_follow_the_path(net):
    assert net.get_parameter("scale") is net.scale
    assert net.get_parameter("net.1.weight") is net.net[1].weight
    assert net.get_buffer("mask") is net.mask
    assert net.get_buffer("net.1.running_mean") is net.net[1].running_mean
    assert net.get_buffer("no_buffer") is None


def test_get_parameter_names_what_is_missing_or_no_parameter(net):
    with raises(AttributeError, "Module has no attribute `foo`"):
        net.get_parameter("foo")
    with raises(AttributeError, "Linear has no attribute `foo`"):
        net.get_parameter("net.0.foo")
    with raises(AttributeError, "Sequential has no attribute `9`"):
        net.get_parameter("net.9.weight")
    for name in ("mask", "table", "net", "no_parameter", "width"):
        with raises(AttributeError, f"`{name}` is not an nn.Parameter"):
            net.get_parameter(name)


def test_get_buffer_names_what_is_missing_or_no_buffer(net):
    with raises(AttributeError, "Module has no attribute `foo`"):
        net.get_buffer("foo")
    with raises(AttributeError, "BatchNorm1d has no attribute `foo`"):
        net.get_buffer("net.1.foo")
    for name in ("scale", "table", "net", "width"):
        with raises(AttributeError, f"`{name}` is not a buffer"):
            net.get_buffer(name)


def test_an_empty_path_names_no_parameter_and_no_buffer(net):
    with raises(AttributeError, "Module has no attribute ``"):
        net.get_parameter("")
    with raises(AttributeError, "Module has no attribute ``"):
        net.get_buffer("")


def test_paths_use_get_name_and_overridden_get_submodule():
    class Own(nn.Module):
        def _get_name(self):
            return "Renamed"

        def get_submodule(self, target):
            return self if target == "elsewhere" else super().get_submodule(target)

    m = Own()
    m.scale = nn.Parameter(torch.ones(1))
    m.register_buffer("mask", torch.ones(1))
    assert m.get_parameter("elsewhere.scale") is m.scale
    assert m.get_buffer("elsewhere.mask") is m.mask
    for look in (m.get_submodule, m.get_parameter, m.get_buffer):
        with raises(AttributeError, "Renamed has no attribute `foo`"):
            look("foo")
    with raises(AttributeError, "Renamed has no attribute `foo`"):
        m.set_submodule("foo", nn.ReLU(), strict=True)
    m.set_submodule("elsewhere.fc", nn.ReLU())
    assert isinstance(m.fc, nn.ReLU)


def test_set_submodule_replaces_the_module_at_the_path(net):
    new = nn.ReLU()
    assert net.set_submodule("net.0", new) is None
    assert net.net[0] is new and list(net.net._modules) == ["0", "1"]
    net.set_submodule("net", new, True)
    assert net.net is new


def test_set_submodule_makes_a_missing_last_name_unless_strict(net):
    net.set_submodule("net.2", nn.ReLU())
    net.set_submodule("top", nn.ReLU())
    assert len(net.net) == 3 and isinstance(net.top, nn.ReLU)
    with raises(AttributeError, "Sequential has no attribute `9`"):
        net.set_submodule("net.9", nn.ReLU(), strict=True)
    with raises(AttributeError, "Module has no attribute `other`"):
        net.set_submodule("other", nn.ReLU(), strict=True)
    assert not hasattr(net, "other")


def test_set_submodule_never_makes_a_missing_middle_name(net):
    for strict in (True, False):
        with raises(AttributeError, "Module has no attribute `no`"):
            net.set_submodule("no.where", nn.ReLU(), strict)


def test_set_submodule_refuses_what_is_there_but_no_module(net):
    for name in ("width", "scale", "mask", "no_child"):
        for strict in (True, False):
            with raises(AttributeError, f"`{name}` is not an nn.Module"):
                net.set_submodule(name, nn.ReLU(), strict)
    with raises(AttributeError, "`weight` is not an nn.Module"):
        net.set_submodule("net.0.weight", nn.ReLU())


def test_set_submodule_refuses_an_empty_path_and_a_value_that_is_no_module(net):
    with raises(ValueError, "Cannot set the submodule without a target name!"):
        net.set_submodule("", nn.ReLU())
    with raises(ValueError, "Cannot set the submodule without a target name!"):
        net.set_submodule("", 3)
    with raises(ValueError, "`module` is not an nn.Module, found <class 'int'>"):
        net.set_submodule("no.where", 3)
    with raises(ValueError, "`module` is not an nn.Module, found <class 'NoneType'>"):
        net.set_submodule("net", None)


def test_set_submodule_assigns_so_that_hooks_and_setattr_see_it(net):
    seen = []

    class Loud(nn.Module):
        def __setattr__(self, name, value):
            seen.append(name)
            super().__setattr__(name, value)

    m = Loud()
    m.set_submodule("fc", nn.ReLU())
    assert seen == ["fc"]


def test_the_extra_state_of_the_base_class_is_an_error():
    text = (
        "Reached a code path in Module.{}() that should never be called. Please file an issue at "
        "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
    )
    with raises(RuntimeError, text.format("get_extra_state")):
        nn.Module().get_extra_state()
    with raises(RuntimeError, text.format("set_extra_state")):
        nn.Module().set_extra_state(None)


def test_weights_are_split_into_groups_by_dimension_with_a_tied_head_once():
    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.wte, self.ln = nn.Embedding(5, 4), nn.LayerNorm(4)
            self.head = nn.Linear(4, 5, bias=False)
            self.wte.weight = self.head.weight
            self.register_buffer("mask", torch.tril(torch.ones(3, 3)))

    model = GPT()
    decayed = [name for name, p in model.named_parameters() if p.dim() >= 2]
    assert decayed == ["wte.weight"]
    assert sum(p.numel() for p in model.parameters()) == 28
    everywhere = dict(model.named_parameters(remove_duplicate=False))
    assert set(everywhere) - set(dict(model.named_parameters())) == {"head.weight"}


def test_an_empty_path_that_is_not_a_string_is_not_this_module():
    m = nn.Module()
    for target, kind in ((None, "NoneType"), ((), "tuple"), (0, "int")):
        with raises(AttributeError, f"'{kind}' object has no attribute 'split'"):
            m.get_submodule(target)


def test_a_path_to_set_is_split_before_the_module_is_looked_at():
    m = nn.Module()
    for module in (nn.Module(), None):
        with raises(AttributeError, "'int' object has no attribute 'split'"):
            m.set_submodule(3, module)
        with raises(TypeError, "a bytes-like object is required, not 'str'"):
            m.set_submodule(b"a", module)
    with raises(ValueError, "Cannot set the submodule without a target name!"):
        m.set_submodule("", None)


def test_setting_a_child_looks_no_path_up():
    class Refusing(nn.Module):
        def get_submodule(self, target):
            raise AssertionError(target)

    m, child = Refusing(), nn.Module()
    m.set_submodule("a", child)
    assert m.a is child
    with raises(AssertionError, "a"):
        m.set_submodule("a.b", child)


def test_a_prefix_is_only_added_to_names_that_there_are():
    assert list(nn.Module().named_parameters(prefix=3)) == []
    assert [path for path, _ in nn.Module().named_modules(prefix=3)] == [3]
    with raises(TypeError, "unsupported operand type(s) for +: 'int' and 'str'"):
        list(nn.Linear(1, 1).named_parameters(prefix=3))
    with raises(TypeError, "unsupported operand type(s) for +: 'int' and 'str'"):
        list(nn.Sequential(nn.Identity()).named_modules(prefix=3))


@pytest.mark.parametrize(
    ("method", "program", "asked"),
    [
        ("named_modules", lambda net: list(net.named_parameters()), ["Sequential", "Linear", "Sequential", "ReLU"]),
        ("named_modules", lambda net: list(net.modules()), ["Sequential", "Linear", "Sequential", "ReLU"]),
        ("named_children", lambda net: net.apply(lambda m: None), ["Sequential", "Linear", "Sequential", "ReLU"]),
        ("children", lambda net: net.train(), ["Sequential", "Linear", "Sequential", "ReLU"]),
        ("children", lambda net: net.double(), ["Sequential", "Linear", "Sequential", "ReLU"]),
        ("__setattr__", lambda net: net.eval(), ["Sequential", "Linear", "Sequential", "ReLU"]),
        ("__getattr__", lambda net: net.register_buffer("b", None), ["Sequential"]),
        ("register_parameter", lambda net: setattr(net[0], "bias", nn.Parameter(torch.ones(1))), ["Linear"]),
        ("register_buffer", lambda net: setattr(net, "b", nn.Buffer(torch.ones(1))), ["Sequential"]),
    ],
)
def test_a_method_that_is_put_onto_module_itself_is_called_from_then_on(method, program, asked, monkeypatch):
    net = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.ReLU()))
    original, seen = getattr(nn.Module, method), []

    def noted(self, *args, **kwargs):
        seen.append(type(self).__name__)
        return original(self, *args, **kwargs)

    monkeypatch.setattr(nn.Module, method, noted)
    program(net)
    monkeypatch.undo()
    assert seen == asked


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (torch.ones(2), AttributeError, "'Tensor' object has no attribute 'named_modules'"),
        (3, AttributeError, "'int' object has no attribute 'named_modules'"),
        (nn.Linear, TypeError, "'in <string>' requires string as left operand, not set"),
    ],
)
def test_what_is_no_module_among_the_modules_is_asked_as_if_it_were_one(value, kind, text):
    net = nn.Module()
    net._modules["a"] = value
    with pytest.raises(kind) as caught:
        list(net.named_parameters())
    assert str(caught.value) == text


def test_a_member_that_has_no_hash_is_refused_by_every_walk():
    net = nn.Module()
    net._parameters["a"] = {}
    for remove_duplicate in (True, False):
        with raises(TypeError, "unhashable type: 'dict'"):
            list(net.named_parameters(remove_duplicate=remove_duplicate))
