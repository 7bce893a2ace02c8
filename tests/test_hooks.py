"""Forward pre-hooks and forward hooks: order, results, kwargs, always_call, removal, global ones."""

import copy
import pickle

import pytest
import torch
from exactly import raises, warns
from torch import nn
from torch.nn.modules import module as names


class Same(nn.Module):
    """Return the input, and write down that forward ran where a log is given."""

    def __init__(self, log=None):
        super().__init__()
        self.log = log

    def forward(self, x):
        if self.log is not None:
            self.log.append("forward")
        return x


class Keywords(nn.Module):
    """Return everything it was called with."""

    def forward(self, *args, **kwargs):
        return args, kwargs


class Bad(nn.Module):
    """Raise what it was called with."""

    def forward(self, x):
        raise ValueError(x)


# --- order -------------------------------------------------------------------------------------------------------


def test_pre_hooks_run_before_and_hooks_after_forward_each_in_order_of_registration():
    log = []
    m = Same(log)
    for i in (1, 2):
        m.register_forward_hook(lambda m, args, out, i=i: log.append(f"hook {i}"))
        m.register_forward_pre_hook(lambda m, args, i=i: log.append(f"pre {i}"))
    m(0)
    assert log == ["pre 1", "pre 2", "forward", "hook 1", "hook 2"]


def test_prepended_hooks_run_first():
    log = []
    m = Same(log)
    for i in (1, 2, 3):
        m.register_forward_hook(lambda m, args, out, i=i: log.append(f"hook {i}"), prepend=i > 1)
        m.register_forward_pre_hook(lambda m, args, i=i: log.append(f"pre {i}"), prepend=i > 1)
    m(0)
    assert log == ["pre 3", "pre 2", "pre 1", "forward", "hook 3", "hook 2", "hook 1"]


def test_global_hooks_run_before_those_of_the_module():
    log = []
    m = Same(log)
    m.register_forward_pre_hook(lambda m, args: log.append("pre"), prepend=True)
    m.register_forward_hook(lambda m, args, out: log.append("hook"), prepend=True)
    names.register_module_forward_pre_hook(lambda m, args: log.append("global pre"))
    names.register_module_forward_hook(lambda m, args, out: log.append("global hook"))
    m(0)
    assert log == ["global pre", "pre", "forward", "global hook", "hook"]


def test_hooks_are_told_the_module_the_arguments_and_the_output():
    m, told = Same(), []
    m.register_forward_pre_hook(lambda *given: told.append(given))
    m.register_forward_hook(lambda *given: told.append(given))
    assert m("x") == "x"
    assert told == [(m, ("x",)), (m, ("x",), "x")]


def test_calling_forward_runs_the_hooks_of_children_only():
    log = []

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = Same(), Same()

        def forward(self, x):
            return self.b.forward(self.a(x))

    net = Net()
    for name, m in (("net", net), ("a", net.a), ("b", net.b)):
        m.register_forward_pre_hook(lambda m, args, name=name: log.append(f"pre {name}"))
        m.register_forward_hook(lambda m, args, out, name=name: log.append(name))
    net.forward(0)
    assert log == ["pre a", "a"]
    log.clear()
    net(0)
    assert log == ["pre net", "pre a", "a", "net"]


# --- results -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0, False, "", (), torch.zeros(0)], ids=repr)
def test_a_hook_replaces_the_output_by_anything_but_none(value):
    m, seen = Same(), []
    m.register_forward_hook(lambda m, args, out: value)
    m.register_forward_hook(lambda m, args, out: seen.append(out))
    assert m("in") is value and seen[0] is value


def test_each_hook_sees_the_output_of_the_one_before():
    m = Same()
    m.register_forward_hook(lambda m, args, out: out + "b")
    m.register_forward_hook(lambda m, args, out: None)
    names.register_module_forward_hook(lambda m, args, out: out + "global")
    m.register_forward_hook(lambda m, args, kwargs, out: out * 2, with_kwargs=True)
    assert m("a") == "aglobalb" * 2


def test_a_pre_hook_replaces_the_arguments_and_a_single_value_is_made_a_tuple():
    m, seen = Keywords(), []
    m.register_forward_pre_hook(lambda m, args: (1, 2))
    m.register_forward_pre_hook(lambda m, args: seen.append(args))
    m.register_forward_pre_hook(lambda m, args: [args[0], 5])
    m.register_forward_hook(lambda m, args, out: seen.append(args))
    assert m(0, k=7) == (([1, 5],), {"k": 7})
    assert seen == [(1, 2), ([1, 5],)]


@pytest.mark.parametrize("value", [0, False, "", ()], ids=repr)
def test_a_pre_hook_replaces_the_arguments_by_anything_but_none(value):
    m = Keywords()
    m.register_forward_pre_hook(lambda m, args: value)
    assert m("in") == (value if value == () else (value,), {})


def test_a_global_pre_hook_replaces_the_arguments_too():
    names.register_module_forward_pre_hook(lambda m, args: (args[0] + 1,))
    names.register_module_forward_pre_hook(lambda m, args: args[0] * 10)
    assert Same()(1) == 20


def test_a_hook_that_raises_stops_the_call():
    log = []
    m = Same(log)

    def stop(m, args):
        raise LookupError("stop")

    handle = m.register_forward_pre_hook(stop)
    with raises(LookupError, "stop"):
        m(0)
    assert log == []
    handle.remove()
    m.register_forward_hook(lambda m, args, out: stop(m, args))
    m.register_forward_hook(lambda m, args, out: log.append("later hook"))
    with raises(LookupError, "stop"):
        m(0)
    assert log == ["forward"]


# --- kwargs ------------------------------------------------------------------------------------------------------


def test_keywords_reach_only_hooks_made_with_kwargs():
    m, seen = Keywords(), []
    m.register_forward_pre_hook(lambda *given: seen.append(given))
    m.register_forward_pre_hook(lambda *given: seen.append(given), with_kwargs=True)
    m.register_forward_hook(lambda *given: seen.append(given))
    m.register_forward_hook(lambda *given: seen.append(given), with_kwargs=True)
    out = m(1, mask=2)
    assert out == ((1,), {"mask": 2})
    assert seen == [(m, (1,)), (m, (1,), {"mask": 2}), (m, (1,), out), (m, (1,), {"mask": 2}, out)]


def test_a_pre_hook_with_kwargs_replaces_both():
    m, seen = Keywords(), []
    m.register_forward_pre_hook(lambda m, args, kwargs: ((9,), {"mask": kwargs["mask"] + 1}), with_kwargs=True)
    m.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
    m.register_forward_hook(lambda m, args, kwargs, out: seen.append((args, kwargs)), with_kwargs=True)
    assert m(1, mask=2) == ((10,), {"mask": 3})
    assert seen == [((10,), {"mask": 3})]


def test_a_pre_hook_with_kwargs_that_returns_none_changes_nothing():
    m = Keywords()
    m.register_forward_pre_hook(lambda m, args, kwargs: None, with_kwargs=True)
    assert m(1, a=2) == ((1,), {"a": 2})


@pytest.mark.parametrize("value", [(1,), [(1,), {}], ((1,), {}, 3), 5, (), 0], ids=repr)
def test_a_pre_hook_with_kwargs_must_return_a_pair(value):
    m = Keywords()
    m.register_forward_pre_hook(lambda m, args, kwargs: value, with_kwargs=True)
    text = f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {value}."
    with raises(RuntimeError, text):
        m(1)


def test_a_global_hook_may_ask_for_kwargs():
    m, seen = Keywords(), []
    handle = names.register_module_forward_hook(lambda *given: seen.append(given), with_kwargs=True)
    assert names._global_forward_hooks_with_kwargs == {handle.id: True}
    out = m(1, a=2)
    assert seen == [(m, (1,), {"a": 2}, out)]


# --- handles and removal -----------------------------------------------------------------------------------------


def test_a_handle_removes_its_hook_and_every_mark_of_it():
    m, seen = Same(), []
    pre = m.register_forward_pre_hook(lambda *given: seen.append(given), with_kwargs=True)
    post = m.register_forward_hook(lambda *given: seen.append(given), with_kwargs=True, always_call=True)
    assert type(pre) is type(post) is torch.utils.hooks.RemovableHandle
    assert list(m._forward_pre_hooks) == [pre.id] and m._forward_pre_hooks_with_kwargs == {pre.id: True}
    assert list(m._forward_hooks) == [post.id]
    assert m._forward_hooks_with_kwargs == m._forward_hooks_always_called == {post.id: True}
    pre.remove()
    post.remove()
    post.remove()
    assert not m._forward_pre_hooks and not m._forward_pre_hooks_with_kwargs
    assert not m._forward_hooks and not m._forward_hooks_with_kwargs and not m._forward_hooks_always_called
    m(0)
    assert seen == []


def test_plain_hooks_leave_no_marks():
    m = Same()
    m.register_forward_pre_hook(print)
    m.register_forward_hook(print)
    marks = (m._forward_pre_hooks_with_kwargs, m._forward_hooks_with_kwargs, m._forward_hooks_always_called)
    assert marks == ({}, {}, {})


def test_hooks_take_their_options_by_keyword_only():
    m = Same()
    with pytest.raises(TypeError):
        m.register_forward_pre_hook(print, True)
    with pytest.raises(TypeError):
        m.register_forward_hook(print, True)
    with pytest.raises(TypeError):
        names.register_module_forward_hook(print, True)
    assert not m._forward_pre_hooks and not m._forward_hooks and not names._global_forward_hooks


def test_a_handle_removes_its_hook_at_the_end_of_a_with_block():
    m, seen = Same(), []
    with m.register_forward_hook(lambda m, args, out: seen.append(out)):
        m(1)
    m(2)
    assert seen == [1]


def test_a_hook_may_remove_itself_while_it_runs():
    m, seen = Same(), []

    def once(name):
        def hook(m, *rest):
            seen.append(name)
            handles.pop(name).remove()

        return hook

    handles = {
        "pre": m.register_forward_pre_hook(once("pre")),
        "global pre": names.register_module_forward_pre_hook(once("global pre")),
        "hook": m.register_forward_hook(once("hook")),
        "global hook": names.register_module_forward_hook(once("global hook")),
    }
    m.register_forward_pre_hook(lambda m, args: seen.append("other pre"))
    m.register_forward_hook(lambda m, args, out: seen.append("other hook"))
    m(0)
    assert seen == ["global pre", "pre", "other pre", "global hook", "hook", "other hook"]
    seen.clear()
    m(0)
    assert seen == ["other pre", "other hook"]


def test_a_hook_that_is_removed_or_added_while_another_runs_counts_from_the_next_call():
    m, seen = Same(), []

    def swap(m, args, out):
        seen.append("first")
        second.remove()
        m.register_forward_hook(lambda m, args, out: seen.append("new"))
        first.remove()

    first = m.register_forward_hook(swap)
    second = m.register_forward_hook(lambda m, args, out: seen.append("second"))
    m(0)
    assert seen == ["first", "second"]
    seen.clear()
    m(0)
    assert seen == ["new"]


def test_a_pre_hook_may_add_a_forward_hook_for_this_call():
    m, seen = Same(), []
    m.register_forward_pre_hook(lambda m, args: m.register_forward_hook(lambda m, args, out: seen.append(out)) and None)
    m(1)
    assert seen == [1]


def test_a_copy_has_the_hooks_of_the_original_and_is_what_they_are_told():
    m, told = Same(), []
    m.register_forward_hook(lambda m, args, out: told.append(m))
    c = copy.deepcopy(m)
    c(0)
    assert told == [c] and c._forward_hooks is not m._forward_hooks
    m.register_forward_pre_hook(lambda m, args: None)
    assert not c._forward_pre_hooks


# --- always_call -------------------------------------------------------------------------------------------------


def test_always_called_hooks_run_when_forward_raises_with_no_output_yet():
    m, log = Bad(), []
    m.register_forward_hook(lambda m, args, out: log.append("normal"))
    m.register_forward_hook(lambda *given: log.append(given), always_call=True)
    m.register_forward_hook(lambda *given: log.append(given), always_call=True, with_kwargs=True)
    with warns(), raises(ValueError, "down"):
        m("down")
    assert log == [(m, ("down",), None), (m, ("down",), {}, None)]


def test_what_an_always_called_hook_returns_reaches_the_next_but_not_the_caller():
    m, log = Bad(), []
    m.register_forward_hook(lambda m, args, out: "rescued", always_call=True)
    m.register_forward_hook(lambda m, args, out: log.append(out), always_call=True)
    m.register_forward_hook(lambda m, args, kwargs, out: log.append(out) or 0, always_call=True, with_kwargs=True)
    m.register_forward_hook(lambda m, args, out: log.append(out), always_call=True)
    with raises(ValueError, "down"):
        m("down")
    assert log == ["rescued", "rescued", 0]


def test_always_called_hooks_run_once_when_all_goes_well():
    m, log = Same(), []
    m.register_forward_hook(lambda m, args, out: log.append(out), always_call=True)
    names.register_module_forward_hook(lambda m, args, out: log.append("global"), always_call=True)
    m(1)
    assert log == ["global", 1]


def test_always_called_hooks_that_ran_before_another_hook_raised_do_not_run_again():
    m, log = Same(), []

    def fail(m, args, out):
        raise LookupError("hook")

    m.register_forward_hook(lambda m, args, out: log.append(("before", out)), always_call=True)
    names.register_module_forward_hook(lambda m, args, out: log.append(("global", out)), always_call=True)
    m.register_forward_hook(fail)
    m.register_forward_hook(lambda m, args, out: log.append(("after", out)), always_call=True)
    with raises(LookupError, "hook"):
        m(1)
    assert log == [("global", 1), ("before", 1), ("after", 1)]


def test_an_always_called_hook_that_raises_by_itself_does_not_run_again():
    m, log = Same(), []

    def fail(m, args, out):
        log.append("ran")
        raise LookupError("hook")

    m.register_forward_hook(fail, always_call=True)
    with warns(), raises(LookupError, "hook"):
        m(1)
    assert log == ["ran"]


def test_always_called_hooks_run_when_a_pre_hook_raises_and_see_the_arguments_so_far():
    m, log = Same(), []

    def fail(m, args):
        raise LookupError("pre")

    m.register_forward_pre_hook(lambda m, args: (5,))
    m.register_forward_pre_hook(fail)
    m.register_forward_hook(lambda m, args, out: log.append((args, out)), always_call=True)
    names.register_module_forward_hook(lambda m, args, out: log.append((args, out)), always_call=True)
    with raises(LookupError, "pre"):
        m(1)
    assert log == [((5,), None), ((5,), None)]


SILENCED = "hook with ``always_call=True`` raised an exception that was silenced as another error was raised in "
SILENCED += "forward: "


def test_an_error_of_an_always_called_hook_is_silenced_with_a_warning():
    m, log = Bad(), []

    def fail(m, args, out):
        raise LookupError("from the hook")

    m.register_forward_hook(fail, always_call=True)
    m.register_forward_hook(lambda m, args, out: log.append("later"), always_call=True)
    names.register_module_forward_hook(fail, always_call=True)
    names.register_module_forward_hook(lambda m, args, out: log.append("global"), always_call=True)
    with (
        warns(
            (UserWarning, f"global module forward {SILENCED}from the hook"),
            (UserWarning, f"module forward {SILENCED}from the hook"),
        ),
        raises(ValueError, "down"),
    ):
        m("down")
    assert log == ["global", "later"]


def test_global_always_called_hooks_run_first_and_hand_on_what_they_return():
    m, log = Bad(), []
    m.register_forward_hook(lambda m, args, out: log.append(("own", out)), always_call=True)
    names.register_module_forward_hook(lambda m, args, out: log.append(("normal", out)))
    names.register_module_forward_hook(lambda m, args, out: log.append(("global", out)) or 0, always_call=True)
    with raises(ValueError, "down"):
        m("down")
    assert log == [("global", None), ("own", 0)]


def test_a_keyboard_interrupt_passes_by_the_always_called_hooks():
    log = []

    class Interrupted(nn.Module):
        def forward(self):
            raise KeyboardInterrupt

    m = Interrupted()
    m.register_forward_hook(lambda m, args, out: log.append("ran"), always_call=True)
    with pytest.raises(KeyboardInterrupt):
        m()
    assert log == []


def test_a_removed_always_called_hook_does_not_run():
    m, log = Bad(), []
    m.register_forward_hook(lambda m, args, out: log.append("ran"), always_call=True).remove()
    with raises(ValueError, "down"):
        m("down")
    assert log == []


def test_the_error_of_forward_is_the_one_that_is_raised():
    error = ValueError("itself")

    class Own(nn.Module):
        def forward(self):
            raise error

    m = Own()
    m.register_forward_hook(lambda m, args, out: None, always_call=True)
    with pytest.raises(ValueError) as caught:
        m()
    assert caught.value is error and error.__cause__ is None and error.__context__ is None


# --- global hooks ------------------------------------------------------------------------------------------------


def test_global_hooks_run_for_every_module():
    log = []
    with names.register_module_forward_hook(lambda m, args, out: log.append(type(m).__name__)):
        nn.Sequential(nn.ReLU(), nn.Tanh())(torch.ones(1))
    nn.ReLU()(torch.ones(1))
    assert log == ["ReLU", "Tanh", "Sequential"]


def test_global_handles_remove_their_hook():
    handle = names.register_module_forward_pre_hook(print)
    assert list(names._global_forward_pre_hooks) == [handle.id]
    handle.remove()
    assert not names._global_forward_pre_hooks
    handle = names.register_module_forward_hook(print, with_kwargs=True, always_call=True)
    assert list(names._global_forward_hooks) == [handle.id]
    assert names._global_forward_hooks_always_called == {handle.id: True}
    handle.remove()
    assert not names._global_forward_hooks and not names._global_forward_hooks_always_called
    names._global_forward_hooks_with_kwargs.clear()  # PyTorch leaves this mark behind
    names.register_module_forward_hook(print)
    assert not names._global_forward_hooks_with_kwargs and not names._global_forward_hooks_always_called


GLOBAL_HOOKS = {
    "_global_forward_pre_hooks": names.register_module_forward_pre_hook,
    "_global_forward_hooks": names.register_module_forward_hook,
    "_global_backward_pre_hooks": names.register_module_full_backward_pre_hook,
    "_global_backward_hooks": names.register_module_full_backward_hook,
}


@pytest.mark.parametrize("table", GLOBAL_HOOKS)
def test_whether_there_is_any_global_hook_can_be_asked(table):
    assert not names._has_any_global_hook()
    handle = GLOBAL_HOOKS[table](print)
    assert names._has_any_global_hook() and list(getattr(names, table)) == [handle.id]
    handle.remove()
    assert not names._has_any_global_hook()


def test_a_mark_left_by_a_global_hook_counts_as_one():
    for marks in (names._global_forward_hooks_always_called, names._global_forward_hooks_with_kwargs):
        marks[0] = True
        assert names._has_any_global_hook()
        marks.clear()


@pytest.mark.parametrize("table", GLOBAL_HOOKS)
def test_one_global_hook_of_any_kind_is_enough_to_be_called(table):
    log = []
    GLOBAL_HOOKS[table](lambda m, *rest: log.append(table))
    nn.Identity()(torch.ones(1, requires_grad=True)).backward()
    assert log == [table]


OWN_HOOKS = ["forward_pre_hook", "forward_hook", "full_backward_pre_hook", "full_backward_hook", "backward_hook"]


@pytest.mark.parametrize("kind", OWN_HOOKS)
@pytest.mark.filterwarnings("ignore:Using")
def test_one_hook_of_any_kind_is_enough_to_be_called(kind):
    log = []
    m = nn.Tanh()
    getattr(m, f"register_{kind}")(lambda m, *rest: log.append(kind))
    m(torch.ones(1, requires_grad=True)).backward()
    assert log == [kind]


# --- what one does with them -------------------------------------------------------------------------------------


def test_activations_are_collected_by_name():
    net, kept = nn.Sequential(nn.Linear(2, 3), nn.ReLU()), {}
    for name, m in net.named_children():
        m.register_forward_hook(lambda m, args, out, name=name: kept.update({name: out.detach()}))
    out = net(torch.ones(1, 2))
    assert {name: tuple(value.shape) for name, value in kept.items()} == {"0": (1, 3), "1": (1, 3)}
    assert torch.equal(kept["1"], out)


def test_a_hook_stops_at_the_first_nan():
    def stop(m, args, out):
        if out.isnan().any():
            raise FloatingPointError(type(m).__name__)

    net = nn.Sequential(nn.Linear(1, 1), nn.LogSigmoid(), nn.Tanh())
    for m in net:
        m.register_forward_hook(stop)
    with raises(FloatingPointError, "Linear"):
        net(torch.tensor([[float("nan")]]))


def keep_last(m, args, out):
    m.last = out


def test_hooks_go_through_pickle_with_the_module():
    m = nn.Identity()
    m.register_forward_hook(keep_last)
    c = pickle.loads(pickle.dumps(m))
    c(5)
    assert c.last == 5 and not hasattr(m, "last")


def test_a_hook_on_a_module_without_init_names_the_first_table_that_is_missing():
    m = nn.Module.__new__(nn.Module)
    with raises(AttributeError, "'Module' object has no attribute '_forward_hooks'"):
        m.register_forward_hook(print, with_kwargs=True)
    with raises(AttributeError, "'Module' object has no attribute '_forward_pre_hooks'"):
        m.register_forward_pre_hook(print, with_kwargs=True)
