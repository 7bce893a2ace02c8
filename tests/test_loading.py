"""load_state_dict: strict or not, in place or by assignment, and the report of everything that is wrong."""

import copy
import pickle
from collections import OrderedDict
from collections.abc import Mapping

import pytest
import torch
from exactly import raises, warns
from torch import nn
from torch.nn.modules.module import _IncompatibleKeys


def filled(m, value):
    with torch.no_grad():
        for tensor in m.state_dict().values():
            tensor.fill_(value)
    return m


def report(name, *lines):
    return "\n\t".join([f"Error(s) in loading state_dict for {name}:", *lines])


MISSING, UNEXPECTED = "Missing key(s) in state_dict: {}. ", "Unexpected key(s) in state_dict: {}. "


class Net(nn.Module):
    """Hold a child, a Parameter, a buffer and an unsaved one."""

    def __init__(self, classes=2):
        super().__init__()
        self.body = nn.Linear(2, 2, bias=False)
        self.head = nn.Linear(2, classes)
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("mean", torch.ones(1))
        self.register_buffer("cache", torch.ones(1), persistent=False)


NAMES = ["scale", "mean", "body.weight", "head.weight", "head.bias"]

# --- copying -----------------------------------------------------------------------------------------------------


def test_loading_copies_into_the_tensors_that_are_there():
    m = Net()
    before = {**m.state_dict(keep_vars=True)}
    result = m.load_state_dict(filled(Net(), 3.0).state_dict())
    assert all(value is before[name] and value.unique().item() == 3.0 for name, value in before.items())
    assert list(before) == list(m.state_dict()) == NAMES and m.cache.item() == 1.0
    assert type(result) is _IncompatibleKeys and result == ([], [])


def test_the_result_says_that_all_matched_or_which_did_not():
    assert repr(_IncompatibleKeys([], [])) == str(_IncompatibleKeys([], [])) == "<All keys matched successfully>"
    text = "_IncompatibleKeys(missing_keys=['a'], unexpected_keys=[])"
    assert repr(_IncompatibleKeys(["a"], [])) == str(_IncompatibleKeys(["a"], [])) == text
    text = "_IncompatibleKeys(missing_keys=[], unexpected_keys=['b'])"
    assert repr(_IncompatibleKeys([], ["b"])) == f"{_IncompatibleKeys([], ['b'])}" == text
    missing, unexpected = _IncompatibleKeys(["a"], ["b"])
    assert (missing, unexpected) == (["a"], ["b"]) and _IncompatibleKeys.__slots__ == ()
    assert _IncompatibleKeys.__mro__[1].__name__ == "IncompatibleKeys"


def test_copying_keeps_the_dtype_of_the_module_and_its_gradients():
    m = nn.Linear(2, 2)
    m.weight.grad = grad = torch.ones(2, 2)
    m.load_state_dict(nn.Linear(2, 2).to(torch.bfloat16).state_dict())
    assert m.weight.dtype == torch.float32 and m.weight.grad is grad and m.weight.requires_grad and m.weight.is_leaf


def test_copying_keeps_ties():
    m = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
    m[1].weight = m[0].weight
    state = filled(nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)), 1.0).state_dict()
    state["1.weight"] = torch.full((2, 2), 5.0)
    m.load_state_dict(state)
    assert m[0].weight is m[1].weight and m[0].weight.unique().item() == 5.0  # the last one loaded stays


def test_any_mapping_is_loaded_and_nothing_else():
    class Own(Mapping):
        def __init__(self, items):
            self.items_ = items

        def __getitem__(self, key):
            return self.items_[key]

        def __iter__(self):
            return iter(self.items_)

        def __len__(self):
            return len(self.items_)

    state = filled(nn.Linear(1, 1), 4.0).state_dict()
    m = nn.Linear(1, 1)
    m.load_state_dict(Own(dict(state)))
    assert m.weight.item() == 4.0
    with raises(TypeError, "Expected state_dict to be dict-like, got <class 'list'>."):
        m.load_state_dict(list(state.items()))
    with raises(TypeError, "Expected state_dict to be dict-like, got <class 'NoneType'>."):
        m.load_state_dict(None, strict=False)


def test_the_given_dict_is_left_as_it_was():
    m, state = nn.Linear(1, 1), nn.Linear(1, 1).state_dict()
    m.register_load_state_dict_pre_hook(lambda m, state, *rest: state.pop("bias"))
    m.load_state_dict(state, strict=False)
    assert list(state) == ["weight", "bias"]


def test_the_metadata_reaches_hooks_and_overrides_as_it_was_saved():
    told = []

    class Own(nn.Sequential):
        def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
            told.append((prefix, local_metadata, hasattr(state_dict, "_metadata")))
            super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    m = Own(Own())
    state = m.state_dict()
    m.load_state_dict(state)
    # only the dict of the root carries the metadata: those of the children are made by filtering
    assert told == [("", {"version": 1}, True), ("0.", {"version": 1}, False)]
    assert told[1][1] is state._metadata["0"]
    told.clear()
    m.load_state_dict(dict(state))
    assert told == [("", {}, False), ("0.", {}, False)]
    state._metadata = {"": {"version": 9}}
    told.clear()
    m.load_state_dict(state)
    assert told == [("", {"version": 9}, True), ("0.", {}, False)]


def test_a_batch_norm_of_an_older_version_gets_its_counter():
    m = nn.BatchNorm1d(1)
    state = m.state_dict()
    del state["num_batches_tracked"]
    with raises(RuntimeError, report("BatchNorm1d", MISSING.format('"num_batches_tracked"'))):
        m.load_state_dict(state)
    state._metadata[""]["version"] = 1
    m.load_state_dict(state)
    assert m.num_batches_tracked.item() == 0


# --- what does not match -----------------------------------------------------------------------------------------


def test_a_missing_key_is_refused_by_name():
    m, state = Net(), Net().state_dict()
    del state["head.bias"]
    with raises(RuntimeError, report("Net", MISSING.format('"head.bias"'))):
        m.load_state_dict(state)
    del state["mean"]
    with raises(RuntimeError, report("Net", MISSING.format('"mean", "head.bias"'))):
        m.load_state_dict(state)


def test_an_unexpected_key_is_refused_by_name():
    m, state = Net(), Net().state_dict()
    for key in ("other", "other.weight", "head.other", "head.weight.deeper", "cache"):
        with raises(RuntimeError, report("Net", UNEXPECTED.format(f'"{key}"'))):
            m.load_state_dict({**state, key: torch.ones(1)})
    with raises(RuntimeError, report("Net", UNEXPECTED.format('"b", "a.c"'))):
        m.load_state_dict({**state, "b": torch.ones(1), "a.c": 3})


def test_a_key_that_names_a_child_itself_is_unexpected():
    with raises(RuntimeError, report("Net", UNEXPECTED.format('"head"'))):
        Net().load_state_dict({**Net().state_dict(), "head": torch.ones(1)})


def test_a_key_below_a_child_slot_of_none_is_not_noticed():
    m = nn.Module()
    m.add_module("gone", None)
    assert m.load_state_dict({"gone.weight": torch.ones(1)}) == ([], [])


def test_a_key_for_a_slot_of_none_is_unexpected():
    m = nn.Module()
    m.register_parameter("w", None)
    m.register_buffer("b", None)
    assert m.load_state_dict({}) == ([], [])
    with raises(RuntimeError, report("Module", UNEXPECTED.format('"w", "b"'))):
        m.load_state_dict({"w": torch.ones(1), "b": torch.ones(1)})


def test_an_unsaved_buffer_is_neither_missing_nor_expected():
    m = nn.Module()
    m.register_buffer("cache", torch.ones(1), persistent=False)
    assert m.load_state_dict({}) == ([], [])
    assert m.load_state_dict({"cache": torch.zeros(1)}, strict=False) == ([], ["cache"])
    assert m.cache.item() == 1.0


def test_not_strict_returns_what_did_not_match_and_loads_the_rest():
    m, state = Net(), filled(Net(), 3.0).state_dict()
    del state["head.bias"], state["mean"]
    state["other"] = state["x.y"] = torch.ones(1)
    result = m.load_state_dict(state, strict=False)
    assert result == (["mean", "head.bias"], ["other", "x.y"])
    assert result.missing_keys == ["mean", "head.bias"] and result.unexpected_keys == ["other", "x.y"]
    assert m.scale.item() == 3.0
    assert m.load_state_dict(state, False) == result


def test_keys_are_listed_module_by_module():
    m = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.Linear(1, 1)))
    state = {"1.0.x": 1, "0.x": 1, "x": 1}
    missing = ["0.weight", "0.bias", "1.0.weight", "1.0.bias"]
    assert m.load_state_dict(state, strict=False) == (missing, ["x", "0.x", "1.0.x"])


def test_a_name_that_is_the_beginning_of_another_is_not_confused_with_it():
    m = nn.Module()
    m.fc, m.fc2 = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
    m.load_state_dict({"fc.weight": torch.full((1, 1), 1.0), "fc2.weight": torch.full((1, 1), 2.0)})
    assert (m.fc.weight.item(), m.fc2.weight.item()) == (1.0, 2.0)


def test_each_child_is_given_its_own_keys_under_their_full_names():
    told = []

    class Own(nn.Sequential):
        def _load_from_state_dict(self, state_dict, prefix, *rest):
            told.append((prefix, list(state_dict), type(state_dict)))
            super()._load_from_state_dict(state_dict, prefix, *rest)

    m = Own(Own(nn.Linear(1, 1)), nn.Linear(1, 1, bias=False))
    m.load_state_dict(m.state_dict())
    whole = ["0.0.weight", "0.0.bias", "1.weight"]
    assert told == [("", whole, OrderedDict), ("0.", whole[:2], dict)]


def test_a_wrong_size_is_refused_even_when_not_strict_after_the_rest_has_been_copied():
    m, state = filled(Net(3), 0.0), filled(Net(2), 7.0).state_dict()
    size = "size mismatch for {}: copying a param with shape {} from checkpoint, the shape in current model is {}."
    lines = [
        size.format("head.weight", "torch.Size([2, 2])", "torch.Size([3, 2])"),
        size.format("head.bias", "torch.Size([2])", "torch.Size([3])"),
    ]
    with raises(RuntimeError, report("Net", *lines)):
        m.load_state_dict(state, strict=False)
    assert m.body.weight.unique().item() == m.scale.item() == 7.0 and not m.head.weight.any()


def test_the_report_says_first_what_is_missing_then_what_is_unexpected_then_the_rest():
    state = Net(2).state_dict()
    del state["scale"]
    state["other"], state["body.weight"] = torch.ones(1), "no tensor"
    state["mean"] = torch.ones(3)
    with raises(
        RuntimeError,
        report(
            "Net",
            MISSING.format('"scale"'),
            UNEXPECTED.format('"other"'),
            "size mismatch for mean: copying a param with shape torch.Size([3]) from checkpoint, the shape in current "
            "model is torch.Size([1]).",
            'While copying the parameter named "body.weight", expected torch.Tensor or Tensor-like object from '
            "checkpoint but received <class 'str'>",
        ),
    ):
        Net(2).load_state_dict(state)


def test_the_report_names_the_class_of_the_root():
    class Renamed(nn.Sequential):
        def _get_name(self):
            return "Other"

    with raises(RuntimeError, report("Renamed", MISSING.format('"0.weight", "0.bias"'))):
        Renamed(nn.Linear(1, 1)).load_state_dict({})


def test_a_value_that_is_no_tensor_is_refused_even_when_not_strict():
    text = (
        'While copying the parameter named "weight", expected torch.Tensor or Tensor-like object from checkpoint but '
        "received <class 'list'>"
    )
    for assign in (False, True):
        with raises(RuntimeError, report("Linear", text)):
            nn.Linear(1, 1).load_state_dict({"weight": [[1.0]]}, strict=False, assign=assign)


def test_wrapper_prefixes_match_nothing_until_they_are_stripped():
    source, m = filled(nn.Linear(1, 1), 3.0), filled(nn.Linear(1, 1), 0.0)
    state = nn.ModuleDict({"module": nn.ModuleDict({"_orig_mod": source})}).state_dict()
    keys = ["module._orig_mod.weight", "module._orig_mod.bias"]
    with raises(
        RuntimeError,
        report(
            "Linear",
            MISSING.format('"weight", "bias"'),
            UNEXPECTED.format('"module._orig_mod.weight", "module._orig_mod.bias"'),
        ),
    ):
        m.load_state_dict(state)
    assert m.load_state_dict(state, strict=False) == (["weight", "bias"], keys) and m.weight.item() == 0.0
    m.load_state_dict({key.removeprefix("module._orig_mod."): value for key, value in state.items()})
    assert m.weight.item() == 3.0


def test_a_one_element_vector_loads_into_a_scalar_and_not_the_other_way():
    m = nn.Module()
    m.s = nn.Parameter(torch.tensor(0.0))
    m.load_state_dict({"s": torch.tensor([4.0])})
    assert m.s.item() == 4.0 and m.s.shape == ()
    m.load_state_dict({"s": torch.tensor([5.0])}, assign=True)
    assert m.s.item() == 5.0 and m.s.shape == ()
    size = "size mismatch for s: copying a param with shape torch.Size({}) from checkpoint, the shape in current model "
    for wrong in (torch.ones(2), torch.ones(1, 1)):
        with raises(RuntimeError, report("Module", size.format(list(wrong.shape)) + "is torch.Size([]).")):
            m.load_state_dict({"s": wrong})
    m.s = nn.Parameter(torch.zeros(1))
    with raises(RuntimeError, report("Module", size.format("[]") + "is torch.Size([1]).")):
        m.load_state_dict({"s": torch.tensor(4.0)})


def test_an_error_while_copying_becomes_a_line_of_the_report():
    m = nn.Linear(1, 1)
    state = {"weight": torch.ones(1, 1, device="meta"), "bias": torch.full((1,), 4.0)}
    try:
        m.weight.data.copy_(state["weight"])
    except Exception as error:
        said = error.args
    text = (
        'While copying the parameter named "weight", whose dimensions in the model are torch.Size([1, 1]) and whose '
        f"dimensions in the checkpoint are torch.Size([1, 1]), an exception occurred : {said}."
    )
    with raises(RuntimeError, report("Linear", text)):
        m.load_state_dict(state)
    assert m.bias.item() == 4.0


def test_loading_into_the_meta_device_by_copy_changes_nothing_and_warns():
    m = nn.Linear(1, 1, device="meta")
    text = (
        "for {}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which "
        "is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their "
        "corresponding key in the module instead of copying them in place?)"
    )
    real = nn.Linear(1, 1).state_dict()
    with warns((UserWarning, text.format("weight")), (UserWarning, text.format("bias"))):
        m.load_state_dict(real)
    assert m.weight.is_meta
    with warns():
        m.load_state_dict(nn.Linear(1, 1, device="meta").state_dict())
        m.load_state_dict(real, assign=True)
    assert not m.weight.is_meta and m.weight.requires_grad


def test_a_tensor_like_object_is_asked_for_its_shape_and_copied():
    class Like:
        shape, is_meta = torch.Size([1]), False

        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            assert function is torch.Tensor.copy_
            return args[0].fill_(9.0)

    m = nn.Linear(1, 1)
    m.load_state_dict({"bias": Like()}, strict=False)
    assert m.bias.item() == 9.0


# --- assign ------------------------------------------------------------------------------------------------------


def test_assign_takes_the_tensors_of_the_checkpoint():
    source, m = nn.BatchNorm1d(2).to(torch.bfloat16), nn.BatchNorm1d(2)
    weight, state = m.weight, source.state_dict()
    assert repr(m.load_state_dict(state, assign=True)) == "<All keys matched successfully>"
    assert m.weight is not weight and type(m.weight) is nn.Parameter
    assert m.weight.dtype == m.running_mean.dtype == torch.bfloat16
    assert m.weight.data_ptr() == state["weight"].data_ptr() and m.running_mean is state["running_mean"]
    assert list(m._parameters) == ["weight", "bias"]
    m.load_state_dict(nn.BatchNorm1d(2).state_dict(), True, True)
    assert m.weight.dtype == torch.float32


def test_assign_keeps_what_the_module_says_of_requires_grad():
    m, other = nn.Linear(1, 1), nn.Linear(1, 1)
    m.bias.requires_grad_(False)
    m.load_state_dict(nn.Linear(1, 1).state_dict(), assign=True)
    assert [p.requires_grad for p in m.parameters()] == [True, False]
    m.load_state_dict(other.state_dict(keep_vars=True), assign=True)
    assert m.weight is other.weight and m.bias is other.bias
    assert [p.requires_grad for p in other.parameters()] == [True, False]


def test_assign_parts_ties():
    def tied():
        net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
        net[1].weight = net[0].weight
        return net

    m = tied()
    m.load_state_dict(tied().state_dict(), assign=True)
    assert m[0].weight is not m[1].weight and m[0].weight.data_ptr() == m[1].weight.data_ptr()


def test_assign_goes_through_setattr():
    seen = []

    class Own(nn.Linear):
        def __setattr__(self, name, value):
            seen.append(name)
            super().__setattr__(name, value)

    m = Own(1, 1)
    seen.clear()
    m.load_state_dict(nn.Linear(1, 1).state_dict(), assign=True)
    assert seen == ["weight", "bias"]


def test_an_unsaved_buffer_is_not_assigned_and_a_saved_one_stays_saved():
    m = Net()
    cache = m.cache
    m.load_state_dict(Net().state_dict(), assign=True)
    assert m.cache is cache and m._non_persistent_buffers_set == {"cache"} and list(m.state_dict()) == NAMES


def test_assign_is_written_into_the_metadata_of_the_caller_and_stays_there():
    state = nn.Linear(1, 1).state_dict()
    nn.Linear(1, 1).load_state_dict(state, assign=True)
    assert state._metadata == {"": {"version": 1, "assign_to_params_buffers": True}}
    m, k = nn.Linear(1, 1), nn.Linear(1, 1)
    weight, kept = m.weight, k.weight
    m.load_state_dict(state)
    k.load_state_dict(dict(state))
    assert m.weight is not weight and k.weight is kept


def test_without_assign_the_metadata_is_left_alone():
    state = nn.Linear(1, 1).state_dict()
    nn.Linear(1, 1).load_state_dict(state)
    assert state._metadata == {"": {"version": 1}}


# --- strict and the overrides ------------------------------------------------------------------------------------


def test_load_from_state_dict_may_be_called_with_strict_off():
    m = nn.Linear(1, 1)
    missing, unexpected, errors = [], [], []
    m._load_from_state_dict({"p.other": 1}, "p.", {}, False, missing, unexpected, errors)
    assert (missing, unexpected, errors) == ([], [], [])
    m._load_from_state_dict({"p.other": 1, "q.z": 1, "p._extra_state": 1}, "p.", {}, True, missing, unexpected, errors)
    assert (missing, unexpected, errors) == (["p.weight", "p.bias"], ["p._extra_state", "p.other"], [])


def test_load_from_state_dict_is_told_strict_even_when_loading_is_not():
    told = []

    class Own(nn.Linear):
        def _load_from_state_dict(self, *args):
            told.append(args)

    m = nn.Sequential(Own(1, 1))
    result = m.load_state_dict({"0.weight": 1}, strict=False)
    assert told == [({"0.weight": 1}, "0.", {}, True, [], [], [])]
    assert told[0][4] is result.missing_keys and told[0][5] is result.unexpected_keys


def test_load_from_state_dict_of_a_module_with_the_assign_mark_assigns():
    m, value = nn.Linear(1, 1, bias=False), torch.ones(1, 1)
    m._load_from_state_dict({"weight": value}, "", {"assign_to_params_buffers": True}, True, [], [], [])
    assert m.weight.data_ptr() == value.data_ptr()


def test_an_override_may_rename_keys_before_they_are_loaded():
    class Renaming(nn.Linear):
        def _load_from_state_dict(self, state_dict, prefix, *rest):
            state_dict[prefix + "weight"] = state_dict.pop(prefix + "w")
            super()._load_from_state_dict(state_dict, prefix, *rest)

    m = nn.Sequential(Renaming(1, 1, bias=False))
    m.load_state_dict({"0.w": torch.full((1, 1), 6.0)})
    assert m[0].weight.item() == 6.0


# --- extra state -------------------------------------------------------------------------------------------------


class Counted(nn.Linear):
    """Save and load a number beside the Parameters."""

    n = 0

    def get_extra_state(self):
        return {"n": self.n}

    def set_extra_state(self, state):
        self.n = state["n"]


def test_extra_state_goes_through_a_reload():
    a, b = nn.Sequential(Counted(1, 1)), nn.Sequential(Counted(1, 1))
    a[0].n = 5
    b.load_state_dict(a.state_dict())
    assert b[0].n == 5


def test_extra_state_that_is_missing_or_unexpected_is_named():
    counted, plain = nn.Sequential(Counted(1, 1)), nn.Sequential(nn.Linear(1, 1))
    with raises(RuntimeError, report("Sequential", MISSING.format('"0._extra_state"'))):
        counted.load_state_dict(plain.state_dict())
    with raises(RuntimeError, report("Sequential", UNEXPECTED.format('"0._extra_state"'))):
        plain.load_state_dict(counted.state_dict())
    assert plain.load_state_dict(counted.state_dict(), strict=False) == ([], ["0._extra_state"])
    assert counted.load_state_dict(plain.state_dict(), strict=False) == (["0._extra_state"], [])


def test_extra_state_is_set_after_the_own_values_even_when_not_strict():
    class Own(nn.Linear):
        def set_extra_state(self, state):
            self.seen = (state, self.weight.item())

    m = Own(1, 1, bias=False)
    m._load_from_state_dict({"weight": torch.full((1, 1), 3.0), "_extra_state": None}, "", {}, False, [], [], [])
    assert m.seen == (None, 3.0)
    missing = []
    m._load_from_state_dict({"weight": torch.ones(1, 1)}, "", {}, False, missing, [], [])
    assert missing == []


def test_set_extra_state_counts_when_the_class_defines_it_not_the_instance():
    m = nn.Module()
    m.set_extra_state = lambda state: None
    assert m.load_state_dict({"_extra_state": 1}, strict=False) == ([], ["_extra_state"])


def test_defining_only_get_extra_state_makes_its_own_dict_unexpected():
    class Own(nn.Module):
        def get_extra_state(self):
            return 1

    with raises(RuntimeError, report("Own", UNEXPECTED.format('"_extra_state"'))):
        Own().load_state_dict(Own().state_dict())


def test_an_error_of_set_extra_state_is_not_collected():
    class Own(nn.Module):
        def set_extra_state(self, state):
            raise LookupError("own")

    with raises(LookupError, "own"):
        Own().load_state_dict({"_extra_state": 1})


# --- lazy modules ------------------------------------------------------------------------------------------------


def test_a_lazy_module_takes_its_shape_from_the_checkpoint():
    m = nn.LazyLinear(3)
    m.load_state_dict(nn.Linear(2, 3).state_dict())
    assert m.weight.shape == (3, 2) and type(m.weight) is nn.Parameter


def test_a_lazy_batch_norm_takes_its_buffers_from_the_checkpoint():
    source = nn.BatchNorm1d(3)
    source(torch.randn(5, 3))
    m = nn.LazyBatchNorm1d()
    m.load_state_dict(source.state_dict())
    assert torch.equal(m.running_mean, source.running_mean) and m.num_batches_tracked.item() == 1


def test_a_lazy_checkpoint_loads_into_a_lazy_module_and_not_into_a_made_one():
    lazy = nn.LazyLinear(3).state_dict()
    assert nn.LazyLinear(3).load_state_dict(lazy) == ([], [])
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter"):
        nn.Linear(2, 3).load_state_dict(lazy)


# --- hooks -------------------------------------------------------------------------------------------------------


def test_a_pre_hook_is_given_the_module_and_everything_of_the_load():
    m, told = nn.Sequential(nn.Linear(1, 1)), []
    handle = m[0].register_load_state_dict_pre_hook(lambda *args: told.append(args))
    state = m.state_dict()
    m.load_state_dict(state, strict=False)
    ((module, given, *rest),) = told
    assert module is m[0] and list(given) == ["0.weight", "0.bias"]
    assert rest == ["0.", {"version": 1}, True, [], [], []]
    handle.remove()
    m.load_state_dict(state)
    assert len(told) == 1 and not m[0]._load_state_dict_pre_hooks


def test_a_private_pre_hook_is_given_the_module_on_request_only():
    m, told = nn.Linear(1, 1), []
    m._register_load_state_dict_pre_hook(lambda *args: told.append(len(args)))
    m._register_load_state_dict_pre_hook(lambda *args: told.append(args[0] is m), with_module=True)
    m._register_load_state_dict_pre_hook(lambda *args: told.append(args[0] is m), True)
    m.load_state_dict(m.state_dict())
    assert told == [7, True, True]


def test_a_pre_hook_may_change_its_keys_and_the_report():
    m = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))

    def rename(module, state, prefix, meta, strict, missing, unexpected, errors):
        state[prefix + "bias"] = torch.full((1,), 4.0)
        errors.append("a line of a hook")

    m[0].register_load_state_dict_pre_hook(rename)
    m.register_load_state_dict_pre_hook(lambda module, state, *rest: state.pop("junk"))
    state = {"0.weight": torch.ones(1, 1), "1.weight": torch.ones(1, 1), "junk": torch.ones(1)}
    with raises(RuntimeError, report("Sequential", MISSING.format('"1.bias"'), "a line of a hook")):
        m.load_state_dict(state)
    assert m[0].bias.item() == 4.0 and sorted(state) == ["0.weight", "1.weight", "junk"]


def test_what_a_pre_hook_returns_is_not_used():
    m = nn.Linear(1, 1)
    m.register_load_state_dict_pre_hook(lambda *args: {"other": 1})
    assert m.load_state_dict(m.state_dict()) == ([], [])


def test_a_pre_hook_looks_like_the_function_that_it_wraps():
    def hook(module, *args):
        """Say something."""

    m = nn.Linear(1, 1)
    handle = m.register_load_state_dict_pre_hook(hook)
    wrapped = m._load_state_dict_pre_hooks[handle.id]
    assert type(wrapped) is torch.nn.modules.module._WrappedHook
    assert wrapped.hook is wrapped.__wrapped__ is hook and wrapped.with_module is True and wrapped.module() is m
    assert (wrapped.__name__, wrapped.__doc__) == ("hook", "Say something.")


def test_a_post_hook_is_given_the_module_and_the_lists_after_its_children():
    m, told = nn.Sequential(nn.Linear(1, 1)), []
    handles = [
        part.register_load_state_dict_post_hook(lambda m, keys: told.append((m, type(keys), *map(list, keys))))
        for part in (m, m[0])
    ]
    m.load_state_dict({"0.weight": torch.ones(1, 1), "x": 1}, strict=False)
    assert told == [(part, _IncompatibleKeys, ["0.bias"], ["x"]) for part in (m[0], m)]
    for handle in handles:
        handle.remove()
    m.load_state_dict(m.state_dict())
    assert len(told) == 2 and not m._load_state_dict_post_hooks


def test_a_post_hook_may_forgive_keys_in_place():
    m = nn.Linear(1, 1)
    m.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
    m.register_load_state_dict_post_hook(lambda module, keys: keys.unexpected_keys.remove("x"))
    assert m.load_state_dict({"x": 1}) == ([], [])


def test_a_post_hook_that_returns_something_is_an_error():
    text = (
        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
        "incompatible_keys need to be modified, it should be done inplace."
    )
    for value in ([], 0, ()):
        m = nn.Linear(1, 1)
        m.register_load_state_dict_post_hook(lambda module, keys, value=value: value)
        with raises(AssertionError, text):
            m.load_state_dict(m.state_dict())


def test_children_that_are_none_are_passed_over():
    m = nn.Module()
    m.add_module("gone", None)
    m.fc = nn.Linear(1, 1)
    m.load_state_dict(filled(nn.ModuleDict({"fc": nn.Linear(1, 1)}), 2.0).state_dict())
    assert m.fc.weight.item() == 2.0


def seen_by_hook(module, state, *rest):
    module.seen = True


def test_a_copy_has_its_pre_hooks_called_with_the_copy():
    m, got = nn.Linear(1, 1), []
    m.register_load_state_dict_pre_hook(lambda module, *rest: got.append(module))
    c = copy.deepcopy(m)
    c.load_state_dict(m.state_dict())
    m.load_state_dict(m.state_dict())
    assert got[0] is c and got[1] is m and len(got) == 2


def test_a_pickled_module_has_its_pre_hooks_called_with_the_new_one():
    m = nn.Linear(1, 1)
    m.register_load_state_dict_pre_hook(seen_by_hook)
    m._register_load_state_dict_pre_hook(seen_by_hook)
    c = pickle.loads(pickle.dumps(m))
    first, second = c._load_state_dict_pre_hooks.values()
    assert first.with_module and first.module() is c and first.hook is seen_by_hook
    assert not second.with_module and not hasattr(second, "module")
    del c._load_state_dict_pre_hooks[next(reversed(c._load_state_dict_pre_hooks))]
    c.load_state_dict(m.state_dict())
    assert c.seen and not hasattr(m, "seen")


def test_the_hook_of_a_dead_module_says_so():
    m = nn.Linear(1, 1)
    handle = m.register_load_state_dict_pre_hook(seen_by_hook)
    wrapped = m._load_state_dict_pre_hooks[handle.id]
    state = wrapped.__getstate__()
    assert state == {"hook": seen_by_hook, "with_module": True, "module": m}
    del m, state
    with raises(RuntimeError, "You are trying to call the hook of a dead Module!"):
        wrapped({}, "", {}, True, [], [], [])
    with raises(RuntimeError, "You are trying to revive the hook of a dead Module!"):
        pickle.loads(pickle.dumps(wrapped))


def test_a_wrapped_hook_passes_on_arguments_keywords_and_the_result():
    wrap = torch.nn.modules.module._WrappedHook
    m = nn.Module()
    assert wrap(lambda *args, **kwargs: (args, kwargs), m)(1, a=2) == ((m, 1), {"a": 2})
    assert wrap(lambda *args, **kwargs: (args, kwargs))(1, a=2) == ((1,), {"a": 2})
    assert wrap(seen_by_hook).__getstate__() == {"hook": seen_by_hook, "with_module": False}


# --- torch.__future__: swap --------------------------------------------------------------------------------------


@pytest.fixture
def swap():
    torch.__future__.set_swap_module_params_on_conversion(True)


def test_under_swap_loading_keeps_the_objects_and_copies(swap):
    m, source = nn.BatchNorm1d(2), filled(nn.BatchNorm1d(2).to(torch.float64), 3.0)
    weight, mean = m.weight, m.running_mean
    state = source.state_dict()
    m.load_state_dict(state)
    assert m.weight is weight and m.running_mean is mean and type(weight) is nn.Parameter and weight.requires_grad
    assert weight.dtype == torch.float32 and weight.tolist() == mean.tolist() == [3.0, 3.0]
    assert weight.data_ptr() != state["weight"].data_ptr()


def test_under_swap_assign_keeps_the_objects_and_takes_the_values(swap):
    m = nn.Linear(1, 1).requires_grad_(False)
    m.weight.requires_grad_(True)
    weight, bias = m.weight, m.bias
    state = nn.Linear(1, 1).to(torch.float64).state_dict()
    m.load_state_dict(state, assign=True)
    assert m.weight is weight and weight.dtype == torch.float64 and weight.data_ptr() == state["weight"].data_ptr()
    assert weight.requires_grad and not bias.requires_grad and type(bias) is nn.Parameter


class Told(torch.Tensor):
    """Let a test say what `module_load` gives."""

    gives = None

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function is torch.Tensor.module_load:
            return cls.gives(args[0], args[1], kwargs)
        return super().__torch_function__(function, types, args, kwargs or {})


def test_under_swap_module_load_is_told_assign_and_its_parameter_keeps_requires_grad(swap):
    m, told = nn.Linear(1, 1, bias=False).requires_grad_(False), []

    def give(own, other, kwargs):
        told.append((own, other, kwargs, torch.is_grad_enabled()))
        return nn.Parameter(torch.full((1, 1), 8.0))

    weight, other = m.weight, torch.ones(1, 1).as_subclass(Told)
    Told.gives = staticmethod(give)
    for assign in (False, True):
        m.load_state_dict({"weight": other}, assign=assign)
        assert told == [(weight, other, {"assign": assign}, False)]
        told.clear()
    assert m.weight is weight and weight.item() == 8.0 and not weight.requires_grad


def test_under_swap_module_load_must_not_return_what_it_was_given(swap):
    text = (
        'While swapping the parameter named "weight", whose dimensions in the model are torch.Size([1, 1]) and whose '
        "dimensions in the checkpoint are torch.Size([1, 1]), an exception occurred : ('module_load returned one of "
        "self or other, please .detach() the result if returning one of the inputs in module_load',)."
    )
    other = torch.ones(1, 1).as_subclass(Told)
    for give in (lambda own, other, kwargs: own, lambda own, other, kwargs: other):
        Told.gives = staticmethod(give)
        with raises(RuntimeError, report("Linear", text)):
            nn.Linear(1, 1).load_state_dict({"weight": other}, strict=False)


def test_under_swap_a_buffer_gets_what_module_load_gives(swap):
    m = nn.Module()
    m.register_buffer("b", torch.ones(1))
    Told.gives = staticmethod(lambda own, other, kwargs: torch.full((1,), 6.0))
    b = m.b
    m.load_state_dict({"b": torch.ones(1).as_subclass(Told)})
    assert m.b is b and b.item() == 6.0 and not isinstance(b, nn.Parameter)


# --- a whole life ------------------------------------------------------------------------------------------------


def test_keys_of_another_model_are_loaded_by_name_with_transposed_weights():
    class Attention(nn.Module):
        def __init__(self, persistent):
            super().__init__()
            self.c_attn = nn.Linear(2, 6)
            self.register_buffer("bias", torch.ones(3, 3).tril(), persistent=persistent)

    kept, slim = (nn.ModuleDict({"h": nn.ModuleList([Attention(p)])}) for p in (True, False))
    other = {"h.0.c_attn.weight": torch.arange(12.0).view(2, 6), "h.0.c_attn.bias": torch.ones(6)}
    assert set(kept.state_dict()) - set(other) == {"h.0.bias"}
    state = slim.state_dict()
    for key, value in other.items():
        state[key].copy_(value.t() if key.endswith("weight") else value)
    assert slim["h"][0].c_attn.weight[1].tolist() == [1.0, 7.0]
    assert kept.load_state_dict(state, strict=False).missing_keys == ["h.0.bias"]
    with raises(RuntimeError, report("ModuleDict", UNEXPECTED.format('"h.0.bias"'))):
        slim.load_state_dict(kept.state_dict())
