"""state_dict: a view of every Parameter and saved buffer, by name, with the hooks around it."""

import copy
import functools
from collections import OrderedDict

import pytest
import torch
from exactly import raises, warns
from torch import nn


class Net(nn.Module):
    """Hold a Parameter, a buffer of each kind, empty slots of each kind, and a child."""

    _version = 3

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.ones(1))
        self.w = nn.Parameter(torch.ones(1))
        self.register_buffer("cache", torch.ones(1), persistent=False)
        self.fc = nn.Linear(1, 1)
        self.register_parameter("no_parameter", None)
        self.register_buffer("no_buffer", None)
        self.add_module("no_child", None)


NAMES = ["w", "mean", "fc.weight", "fc.bias"]

# --- what is in it -----------------------------------------------------------------------------------------------


def test_state_dict_lists_parameters_then_saved_buffers_then_children():
    assert list(Net().state_dict()) == NAMES


def test_state_dict_is_an_ordered_dict_with_metadata():
    state = Net().state_dict()
    assert type(state) is OrderedDict and type(state._metadata) is OrderedDict
    assert list(state._metadata.items()) == [("", {"version": 3}), ("fc", {"version": 1})]


def test_values_are_detached_but_share_their_memory():
    m = Net()
    state = m.state_dict()
    assert state["w"] is not m.w and state["mean"] is not m.mean
    assert not state["w"].requires_grad and type(state["w"]) is torch.Tensor
    with torch.no_grad():
        m.w.add_(1.0)
        state["mean"].mul_(5.0)
    assert state["w"].item() == 2.0 and m.mean.item() == 5.0


def test_a_copy_of_the_dict_still_follows_the_training_and_a_deep_copy_does_not():
    m = Net()
    shallow, deep = m.state_dict().copy(), copy.deepcopy(m.state_dict())
    with torch.no_grad():
        m.w.add_(1.0)
    assert shallow["w"].item() == 2.0 and deep["w"].item() == 1.0


def test_a_buffer_that_needs_grad_is_detached_too():
    m = nn.Module()
    m.register_buffer("b", torch.ones(1, requires_grad=True))
    assert not m.state_dict()["b"].requires_grad and m.state_dict(keep_vars=True)["b"] is m.b


def test_keep_vars_gives_the_objects_themselves_all_the_way_down():
    m = Net()
    state = m.state_dict(keep_vars=True)
    assert state["w"] is m.w and state["mean"] is m.mean and state["fc.weight"] is m.fc.weight


def test_a_shared_parameter_is_saved_under_each_name():
    m = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False))
    m[1].weight = m[0].weight
    state = m.state_dict()
    assert list(state) == ["0.weight", "1.weight"] and state["0.weight"].data_ptr() == state["1.weight"].data_ptr()


def test_a_shared_module_is_saved_at_each_place():
    shared = nn.Linear(1, 1, bias=False)
    assert list(nn.Sequential(shared, shared).state_dict()) == ["0.weight", "1.weight"]


def test_a_prefix_stands_before_every_key_and_without_its_dot_before_the_metadata():
    state = Net().state_dict(prefix="m.")
    assert list(state) == [f"m.{name}" for name in NAMES]
    assert list(state._metadata) == ["m", "m.fc"]


def test_a_destination_is_filled_and_returned():
    given = {"before": 1}
    assert Net().state_dict(destination=given) is given
    assert list(given) == ["before", *NAMES] and not hasattr(given, "_metadata")


def test_an_empty_destination_is_filled_too():
    given = OrderedDict()
    assert Net().state_dict(destination=given) is given and list(given) == NAMES


def test_a_destination_with_metadata_gets_more_of_it():
    given = OrderedDict()
    given._metadata = OrderedDict(other={})
    Net().state_dict(destination=given, prefix="m.")
    assert list(given._metadata) == ["other", "m", "m.fc"]


def test_children_are_asked_by_their_own_state_dict_with_the_same_destination():
    asked = []

    class Child(nn.Module):
        def state_dict(self, *args, **kwargs):
            asked.append((args, dict(kwargs)))
            return super().state_dict(*args, **kwargs)

    m = nn.Module()
    m.child = Child()
    state = m.state_dict(prefix="m.", keep_vars=True)
    assert asked == [((), {"destination": state, "prefix": "m.child.", "keep_vars": True})]
    assert asked[0][1]["destination"] is state


def test_what_the_state_dict_of_a_child_returns_is_not_used():
    class Child(nn.Module):
        def state_dict(self, *args, destination, prefix, keep_vars):
            destination[prefix + "mine"] = 1
            return {"other": 2}

    m = nn.Module()
    m.child = Child()
    assert dict(m.state_dict()) == {"child.mine": 1}


POSITIONAL = (
    "Positional args are being deprecated, use kwargs instead. Refer to "
    "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
)


def test_positional_arguments_still_work_with_a_warning_to_the_caller():
    m, given = Net(), OrderedDict()
    with warns((FutureWarning, POSITIONAL)) as seen:
        assert m.state_dict(given, "m.", True) is given
    assert seen[0].filename == __file__
    assert given["m.w"] is m.w and list(given) == [f"m.{name}" for name in NAMES]


def test_fewer_positional_arguments_leave_the_rest_at_their_defaults():
    m = Net()
    with warns((FutureWarning, POSITIONAL)):
        assert list(m.state_dict(None)) == NAMES
    with warns((FutureWarning, POSITIONAL)):
        state = m.state_dict(None, "m.")
    assert list(state) == [f"m.{name}" for name in NAMES] and not state["m.w"].requires_grad


def test_keywords_win_over_positional_arguments():
    m, given, other = Net(), OrderedDict(), OrderedDict()
    with warns((FutureWarning, POSITIONAL)):
        assert m.state_dict(other, "other.", False, destination=given, prefix="m.", keep_vars=True) is given
    assert given["m.w"] is m.w and not other


def test_without_positional_arguments_nothing_is_warned_of():
    with warns():
        Net().state_dict(destination=OrderedDict(), prefix="", keep_vars=False)


# --- _save_to_state_dict and extra state -------------------------------------------------------------------------


def test_save_to_state_dict_writes_what_is_own_and_returns_nothing():
    m, given = Net(), {}
    assert m._save_to_state_dict(given, "m.", False) is None
    assert list(given) == ["m.w", "m.mean"] and not given["m.w"].requires_grad


def test_an_override_of_save_to_state_dict_is_called_for_its_own_module_only():
    asked = []

    class Own(nn.Sequential):
        def _save_to_state_dict(self, destination, prefix, keep_vars):
            asked.append((prefix, keep_vars))
            destination[prefix + "more"] = 1
            super()._save_to_state_dict(destination, prefix, keep_vars)

    m = Own(nn.Linear(1, 1, bias=False), Own())
    assert list(m.state_dict(prefix="m.")) == ["m.more", "m.0.weight", "m.1.more"]
    assert asked == [("m.", False), ("m.1.", False)]


class Counted(nn.Linear):
    """Save a number beside the Parameters."""

    n = 5

    def get_extra_state(self):
        return {"n": self.n}


def test_extra_state_is_saved_last_of_the_own_entries():
    m = nn.Sequential(Counted(1, 1), nn.Linear(1, 1, bias=False))
    m[0].register_buffer("mean", torch.ones(1))
    m[0].child = nn.Linear(1, 1, bias=False)
    state = m.state_dict()
    assert list(state) == ["0.weight", "0.bias", "0.mean", "0._extra_state", "0.child.weight", "1.weight"]
    assert state["0._extra_state"] == {"n": 5}


def test_extra_state_is_what_the_class_defines_not_the_instance():
    m = nn.Linear(1, 1)
    m.get_extra_state = lambda: 1
    assert list(m.state_dict()) == ["weight", "bias"]


def test_an_extra_state_of_none_is_saved():
    class Own(nn.Module):
        def get_extra_state(self):
            return None

    assert dict(Own().state_dict()) == {"_extra_state": None}


def test_defining_only_set_extra_state_saves_nothing():
    class Own(nn.Module):
        def set_extra_state(self, state):
            raise AssertionError

    assert dict(Own().state_dict()) == {}


# --- hooks -------------------------------------------------------------------------------------------------------


def test_a_pre_hook_is_told_module_prefix_and_keep_vars_before_anything_is_saved():
    m, told, given = Net(), [], OrderedDict()
    handle = m.register_state_dict_pre_hook(lambda *args: told.append((args, len(given))))
    assert list(m._state_dict_pre_hooks) == [handle.id]
    m.state_dict(prefix="m.", keep_vars=True, destination=given)
    assert told == [((m, "m.", True), 0)]
    handle.remove()
    m.state_dict()
    assert len(told) == 1 and not m._state_dict_pre_hooks


def test_a_pre_hook_may_change_what_is_then_saved_and_its_result_is_not_used():
    m = nn.Linear(1, 1, bias=False)

    def fill(module, prefix, keep_vars):
        module.weight.data.fill_(7.0)
        return {}

    m.register_state_dict_pre_hook(fill)
    assert m.state_dict()["weight"].item() == 7.0


def test_a_pre_hook_runs_after_the_version_has_been_written():
    m, given, seen = Net(), OrderedDict(), []
    given._metadata = OrderedDict()
    m.register_state_dict_pre_hook(lambda *args: seen.append(dict(given._metadata)))
    m.state_dict(destination=given)
    assert seen == [{"": {"version": 3}}]


def test_a_post_hook_sees_the_whole_dict_its_prefix_and_its_metadata():
    net, told = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1)), []
    handles = [
        m.register_state_dict_post_hook(lambda m, state, prefix, meta: told.append((m, list(state), prefix, meta)))
        for m in (net, net[1])
    ]
    state = net.state_dict()
    keys = ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert told == [(net[1], keys, "1.", {"version": 1}), (net, keys, "", {"version": 1})]
    assert told[1][3] is state._metadata[""]
    for handle in handles:
        handle.remove()
    net.state_dict()
    assert len(told) == 2


def test_a_post_hook_may_edit_in_place():
    net = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))

    def add(m, state, prefix, meta):
        state[prefix + "extra"] = 1
        meta["note"] = "hooked"

    net[0].register_state_dict_post_hook(add)
    state = net.state_dict()
    assert list(state) == ["0.weight", "0.bias", "0.extra", "1.weight", "1.bias"]
    assert state._metadata["0"] == {"version": 1, "note": "hooked"}


def test_a_post_hook_that_returns_something_is_an_error():
    m = nn.Linear(1, 1)
    m.register_state_dict_post_hook(lambda m, state, prefix, meta: {})
    with raises(RuntimeError, "state_dict post-hook must return None"):
        m.state_dict()


def test_a_private_hook_may_replace_the_whole_dict_and_the_next_sees_the_new_one():
    m, seen = nn.Linear(1, 1), []
    m._register_state_dict_hook(lambda m, state, prefix, meta: {"new": 1})
    handle = m._register_state_dict_hook(lambda m, state, prefix, meta: seen.append((state, prefix, meta)))
    m._register_state_dict_hook(lambda m, state, prefix, meta: None)
    assert m.state_dict(prefix="p.") == {"new": 1}
    assert seen == [({"new": 1}, "p.", {"version": 1})]
    handle.remove()
    m.state_dict()
    assert len(seen) == 1


def test_a_private_hook_may_return_an_empty_dict():
    m = nn.Linear(1, 1)
    m._register_state_dict_hook(lambda m, state, prefix, meta: {})
    assert m.state_dict() == {}


def test_what_a_private_hook_of_a_child_returns_is_lost():
    net = nn.Sequential(nn.Linear(1, 1))
    net[0]._register_state_dict_hook(lambda m, state, prefix, meta: {})
    assert list(net.state_dict()) == ["0.weight", "0.bias"]


def test_both_kinds_of_hook_run_in_the_order_of_registration():
    m, seen = nn.Linear(1, 1), []
    m._register_state_dict_hook(lambda *args: seen.append("private"))
    m.register_state_dict_post_hook(lambda *args: seen.append("public"))
    m._register_state_dict_hook(lambda *args: seen.append("private again"))
    m.register_state_dict_pre_hook(lambda *args: seen.append("pre"))
    m.state_dict()
    assert seen == ["pre", "private", "public", "private again"]


def test_one_function_cannot_be_both_kinds_of_hook():
    def hook(m, state, prefix, meta):
        pass

    m = nn.Linear(1, 1)
    m.register_state_dict_post_hook(hook)
    assert hook._from_public_api is True
    text = (
        "Cannot register the same function as the state dict post hook that was previously registered via "
        "register_state_dict_post_hook"
    )
    with raises(RuntimeError, text):
        nn.Linear(1, 1)._register_state_dict_hook(hook)
    assert len(m._state_dict_hooks) == 1
    m.register_state_dict_post_hook(hook)


def test_a_post_hook_must_be_able_to_carry_a_mark():
    class Own(nn.Module):
        def hook(self, module, state, prefix, meta):
            pass

    m = Own()
    with pytest.raises(AttributeError):
        m.register_state_dict_post_hook(m.hook)
    m.register_state_dict_post_hook(functools.partial(m.hook))
    m._register_state_dict_hook(m.hook)
    assert len(m._state_dict_hooks) == 2


# --- torch.save --------------------------------------------------------------------------------------------------


def test_metadata_goes_through_torch_save_with_the_dict(tmp_path):
    m = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
    torch.save(m.state_dict(), tmp_path / "state.pt")
    state = torch.load(tmp_path / "state.pt")
    assert type(state) is OrderedDict and state._metadata["1"] == {"version": 2}
    assert repr(m.load_state_dict(state)) == "<All keys matched successfully>"


def test_a_resumed_run_takes_the_same_next_step(tmp_path):
    def make():
        m = nn.Sequential(nn.Embedding(4, 3), nn.Linear(3, 4, bias=False))
        m[1].weight = m[0].weight
        return m, torch.optim.AdamW(m.parameters(), lr=0.1)

    def step(m, optimizer):
        optimizer.zero_grad(set_to_none=True)
        m(torch.tensor([0, 1, 2])).pow(2).sum().backward()
        optimizer.step()

    first, second = make(), make()
    step(*first)
    wrapped = nn.ModuleDict({"_orig_mod": first[0]})
    torch.save({"model": wrapped.state_dict(), "optimizer": first[1].state_dict()}, tmp_path / "run.pt")
    saved = torch.load(tmp_path / "run.pt")
    assert list(saved["model"]) == ["_orig_mod.0.weight", "_orig_mod.1.weight"]
    second[0].load_state_dict({key.removeprefix("_orig_mod."): value for key, value in saved["model"].items()})
    second[1].load_state_dict(saved["optimizer"])
    step(*first)
    step(*second)
    assert torch.equal(first[0][0].weight, second[0][0].weight) and second[0][1].weight is second[0][0].weight


def test_a_prefix_that_is_not_a_string_fails_where_it_is_first_used():
    parent = nn.Sequential(nn.Identity())
    for prefix, kind in ((None, "NoneType"), (3, "int")):
        with raises(TypeError, f"'{kind}' object is not subscriptable"):
            parent.state_dict(prefix=prefix)
        with raises(TypeError, f"unsupported operand type(s) for +: '{kind}' and 'str'"):
            parent.state_dict(destination={}, prefix=prefix)


def test_a_prefix_that_is_no_text_is_refused_by_an_empty_module_too():
    with raises(TypeError, "unsupported operand type(s) for +: 'int' and 'str'"):
        nn.Module()._save_to_state_dict({}, 1, False)
