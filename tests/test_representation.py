"""repr, dir, copy and pickle of a Module."""

import copy
import io
import pickle
from collections import OrderedDict

import pytest
import torch
from torch import nn
from torch.nn.modules.module import _addindent

# --- repr --------------------------------------------------------------------------------------------------------


class Shown(nn.Module):
    """Show the given text."""

    def __init__(self, text="", **children):
        super().__init__()
        self.text = text
        for name, child in children.items():
            self.add_module(name, child)

    def extra_repr(self):
        return self.text


def test_a_module_with_nothing_to_show_is_its_name_with_brackets():
    assert repr(nn.Module()) == str(nn.Module()) == "Module()"
    assert nn.Module().extra_repr() == "" and nn.Module()._get_name() == "Module"


def test_one_line_of_extra_repr_goes_between_the_brackets():
    assert repr(Shown("a=1, b=2")) == "Shown(a=1, b=2)"


def test_several_lines_of_extra_repr_go_on_lines_of_their_own():
    assert repr(Shown("a=1\nb=2")) == "Shown(\n  a=1\n  b=2\n)"


def test_children_are_indented_under_their_names():
    m = Shown(fc=nn.Linear(1, 2), inner=Shown("x\ny", act=nn.ReLU()))
    assert repr(m) == (
        "Shown(\n"
        "  (fc): Linear(in_features=1, out_features=2, bias=True)\n"
        "  (inner): Shown(\n"
        "    x\n"
        "    y\n"
        "    (act): ReLU()\n"
        "  )\n"
        ")"
    )


def test_one_line_of_extra_repr_with_children_goes_on_a_line_of_its_own():
    assert repr(Shown("a=1", act=nn.ReLU())) == "Shown(\n  a=1\n  (act): ReLU()\n)"


def test_a_child_slot_of_none_is_shown():
    assert repr(Shown(gen=None)) == "Shown(\n  (gen): None\n)"


def test_parameters_and_buffers_are_not_shown():
    m = nn.Module()
    m.w = nn.Parameter(torch.ones(1))
    m.register_buffer("b", torch.ones(1))
    assert repr(m) == "Module()"


def test_a_blank_line_of_a_child_is_left_empty():
    assert repr(Shown(a=Shown("x\n\ny"))) == "Shown(\n  (a): Shown(\n    x\n\n    y\n  )\n)"


def test_repr_uses_the_name_and_the_repr_of_the_subclass():
    class Own(Shown):
        def _get_name(self):
            return "Renamed"

    class Other(nn.Module):
        def __repr__(self):
            return "first\nsecond"

    assert repr(Own(c=Other())) == "Renamed(\n  (c): first\n  second\n)"


def test_addindent_indents_every_line_but_the_first():
    assert _addindent("one", 4) == "one"
    assert _addindent("one\ntwo\n\n  three", 4) == "one\n    two\n\n      three"
    assert _addindent("one\n   \ntwo", 2) == "one\n\n  two"
    assert _addindent("", 2) == ""
    assert _addindent("one\n", 2) == "one\n"


# --- dir ---------------------------------------------------------------------------------------------------------


def test_dir_lists_class_fields_parameters_buffers_and_children_sorted():
    m = nn.BatchNorm1d(1)
    m.child, m.plain = nn.ReLU(), 3
    listed = dir(m)
    assert {"forward", "__call__", "weight", "running_mean", "child", "plain", "training", "_modules"} <= set(listed)
    assert listed == sorted(listed)
    assert m.__dir__() == sorted(
        [*dir(nn.BatchNorm1d), *vars(m), *m._parameters, *m._modules, *m._buffers],
    )


def test_dir_leaves_out_names_that_begin_with_a_digit():
    m = nn.Module()
    for name in ("0", "9lives", "a-b", "x0"):
        m.add_module(name, nn.ReLU())
    m.register_parameter("1w", None)
    m.register_buffer("2b", None)
    vars(m)["3c"] = 1
    assert not {"0", "9lives", "1w", "2b", "3c"} & set(dir(m)) and {"a-b", "x0"} <= set(dir(m))
    assert "0" not in dir(nn.Sequential(nn.ReLU())) and hasattr(nn.Sequential(nn.ReLU()), "0")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("how", ["script", "trace"])
def test_dir_lists_what_a_module_of_torchscript_has_filed(how):
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).eval()
    compiled = torch.jit.script(model) if how == "script" else torch.jit.trace(model, torch.ones(1, 2))
    file = io.BytesIO()
    torch.jit.save(compiled, file)
    file.seek(0)
    loaded = torch.jit.load(file)
    for one in (compiled, loaded):
        assert {"weight", "bias", "forward"} <= set(dir(getattr(one, "0")))
        assert {"running_mean", "num_batches_tracked", "register_buffer"} <= set(dir(getattr(one, "1")))
        assert "0" not in dir(one)


# --- copy --------------------------------------------------------------------------------------------------------


def test_a_shallow_copy_shares_everything_but_the_dict_of_fields():
    m = nn.Linear(1, 1)
    c = copy.copy(m)
    assert type(c) is nn.Linear and vars(c) is not vars(m)
    assert c.weight is m.weight and c._parameters is m._parameters
    c.in_features = 5
    assert m.in_features == 1


def test_a_deep_copy_has_values_of_its_own_and_keeps_ties_modes_and_buffers():
    m = nn.Module()
    tensor = torch.ones(2)
    m.p, m.q = nn.Parameter(tensor), nn.Parameter(tensor)
    m.r = m.p
    m.note = {"owner": m}
    m.register_buffer("tmp", torch.zeros(1), persistent=False)
    m.eval()
    (m.p * 3).sum().backward()
    c = copy.deepcopy(m)
    assert c.p is not m.p and c.r is c.p and c.note["owner"] is c and not c.training
    assert m.p.data_ptr() == m.q.data_ptr() and c.p.data_ptr() != c.q.data_ptr()
    assert m.p.grad.tolist() == [3.0, 3.0] and c.p.grad is None
    assert list(c._buffers) == ["tmp"] and list(c.state_dict()) == list(m.state_dict()) == ["p", "q", "r"]
    assert list(vars(c)) == list(vars(m))


def test_a_deep_copy_of_a_module_that_keeps_a_graph_is_refused_until_it_is_detached():
    m = nn.Module()
    m.register_buffer("last", nn.Parameter(torch.ones(1)) * 2)
    with pytest.raises(RuntimeError, match="created explicitly by the user"):
        copy.deepcopy(m)
    m.last = m.last.detach()
    assert copy.deepcopy(m).last.item() == 2.0


# --- pickle ------------------------------------------------------------------------------------------------------


def test_the_state_of_a_module_is_a_copy_of_its_fields_without_the_compiled_call():
    m = nn.Linear(1, 1)
    state = m.__getstate__()
    assert state == vars(m) and state is not vars(m) and list(state) == list(vars(m))
    m._compiled_call_impl = lambda x: x
    assert "_compiled_call_impl" not in m.__getstate__() and "_compiled_call_impl" in vars(m)


def test_a_compiled_module_is_copied_and_pickled_as_a_plain_one():
    m = nn.Linear(1, 1)
    m._compiled_call_impl = lambda x: "compiled"
    for c in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert c._compiled_call_impl is None and torch.equal(c(torch.ones(1, 1)), m._call_impl(torch.ones(1, 1)))
    assert m(torch.ones(1, 1)) == "compiled"


def test_a_module_goes_through_pickle_with_its_fields_in_order():
    m = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1)).eval()
    m[0].weight.requires_grad_(False)
    c = pickle.loads(pickle.dumps(m))
    assert repr(c) == repr(m) and list(vars(c)) == list(vars(m)) and not c[1].training
    assert [(name, p.requires_grad) for name, p in c.named_parameters()] == [
        (name, p.requires_grad) for name, p in m.named_parameters()
    ]
    assert all(torch.equal(a, b) for a, b in zip(c.state_dict().values(), m.state_dict().values(), strict=True))


def test_a_pickle_names_the_class_in_the_module_of_torch():
    assert b"ctorch.nn.modules.module\nModule\n" in pickle.dumps(nn.Module(), protocol=0)


def test_torch_load_refuses_a_whole_module_unless_told_and_takes_its_state():
    m, file = nn.Linear(1, 1), io.BytesIO()
    torch.save(m, file)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(file)
    file.seek(0)
    c = torch.load(file, weights_only=False)
    assert type(c) is nn.Linear and torch.equal(c.weight, m.weight)


ADDED_LATER = {
    "_forward_pre_hooks": OrderedDict,
    "_state_dict_hooks": OrderedDict,
    "_state_dict_pre_hooks": OrderedDict,
    "_load_state_dict_pre_hooks": OrderedDict,
    "_load_state_dict_post_hooks": OrderedDict,
    "_non_persistent_buffers_set": set,
    "_is_full_backward_hook": type(None),
    "_backward_pre_hooks": OrderedDict,
    "_forward_pre_hooks_with_kwargs": OrderedDict,
    "_forward_hooks_with_kwargs": OrderedDict,
    "_forward_hooks_always_called": OrderedDict,
}


@pytest.mark.parametrize("name", ADDED_LATER)
def test_an_old_pickle_without_a_field_gets_an_empty_one(name):
    m = nn.Linear(1, 1)
    state = m.__getstate__()
    del state[name]
    old = nn.Linear.__new__(nn.Linear)
    assert old.__setstate__(state) is None
    made = vars(old)[name]
    assert type(made) is ADDED_LATER[name] and not made
    assert set(vars(old)) == set(vars(m)) and old.weight is m.weight


def test_an_old_pickle_without_any_of_them_can_be_called_saved_and_loaded():
    m = nn.BatchNorm1d(2)
    state = {name: value for name, value in m.__getstate__().items() if name not in ADDED_LATER}
    old = nn.BatchNorm1d.__new__(nn.BatchNorm1d)
    old.__setstate__(state)
    x = torch.randn(4, 2)
    assert torch.equal(old(x), m(x))
    assert repr(old.load_state_dict(m.state_dict())) == "<All keys matched successfully>"
    tables = [table for name, table in vars(old).items() if name in ADDED_LATER and table is not None]
    assert len({id(table) for table in tables}) == len(tables) == 10


def test_the_fields_of_a_pickle_are_taken_as_they_are():
    m = nn.Linear(1, 1)
    m.register_forward_pre_hook(print)
    m.register_full_backward_hook(print)
    m.register_state_dict_pre_hook(print)
    m._non_persistent_buffers_set.add("x")
    state, new = m.__getstate__(), nn.Linear.__new__(nn.Linear)
    new.kept = "before"
    new.__setstate__({**state, "more": 1})
    assert all(vars(new)[name] is value for name, value in state.items())
    assert new.more == 1 and new.kept == "before" and len(vars(new)) == len(state) + 2


def test_nothing_but_the_later_fields_is_made_up_for_an_empty_state():
    new = nn.Module.__new__(nn.Module)
    new.__setstate__({})
    assert set(vars(new)) == set(ADDED_LATER)


def test_the_handles_of_a_pickled_module_are_not_needed_to_take_further_hooks():
    m = pickle.loads(pickle.dumps(nn.Identity()))
    seen = []
    m.register_forward_hook(lambda m, args, out: seen.append(out)).remove()
    m.register_forward_hook(lambda m, args, out: seen.append(out + 1))
    m(1)
    assert seen == [2]


def test_missing_fields_are_added_in_the_order_of_their_history():
    revived = nn.Module.__new__(nn.Module)
    revived.__setstate__({"training": True})
    assert list(vars(revived)) == [
        "training",
        "_forward_pre_hooks",
        "_forward_pre_hooks_with_kwargs",
        "_forward_hooks_with_kwargs",
        "_forward_hooks_always_called",
        "_state_dict_hooks",
        "_state_dict_pre_hooks",
        "_load_state_dict_pre_hooks",
        "_load_state_dict_post_hooks",
        "_non_persistent_buffers_set",
        "_is_full_backward_hook",
        "_backward_pre_hooks",
    ]
