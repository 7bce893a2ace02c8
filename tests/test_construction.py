"""What `nn.Module()` makes: seventeen fields and nothing else."""

import types
from collections import OrderedDict

import torch
from exactly import raises
from torch import nn

FIELDS = [
    "training",
    "_parameters",
    "_buffers",
    "_non_persistent_buffers_set",
    "_backward_pre_hooks",
    "_backward_hooks",
    "_is_full_backward_hook",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
    "_modules",
]
HOOK_TABLES = [name for name in FIELDS if "hooks" in name]


def test_an_instance_has_exactly_the_seventeen_fields():
    assert list(vars(nn.Module())) == FIELDS


def test_a_new_module_is_in_training_mode():
    assert vars(nn.Module())["training"] is True


def test_the_three_registries_are_plain_dicts():
    made = vars(nn.Module())
    assert [type(made[name]) for name in ("_parameters", "_buffers", "_modules")] == [dict, dict, dict]
    assert not made["_parameters"] and not made["_buffers"] and not made["_modules"]


def test_the_hook_tables_are_empty_ordered_dicts():
    made = vars(nn.Module())
    assert {name: made[name] for name in HOOK_TABLES} == {name: OrderedDict() for name in HOOK_TABLES}
    assert {type(made[name]) for name in HOOK_TABLES} == {OrderedDict}


def test_the_set_of_non_persistent_buffers_starts_empty():
    made = vars(nn.Module())["_non_persistent_buffers_set"]
    assert type(made) is set and not made


def test_the_kind_of_backward_hook_is_undecided_at_first():
    assert vars(nn.Module())["_is_full_backward_hook"] is None


def test_no_two_modules_and_no_two_fields_share_a_table():
    tables = [table for m in (nn.Module(), nn.Module()) for table in vars(m).values() if isinstance(table, dict | set)]
    assert len(tables) == 2 * 15
    assert len({id(table) for table in tables}) == len(tables)


def test_init_fills_the_fields_without_the_setattr_of_the_subclass():
    seen = []

    class Loud(nn.Module):
        def __init__(self):
            super().__init__()
            self.width = 4
            self.fc = nn.Linear(2, 2)

        def __setattr__(self, name, value):
            seen.append(name)
            super().__setattr__(name, value)

    m = Loud()
    assert seen == ["width", "fc"]
    m.eval()
    assert seen == ["width", "fc", "training"]
    assert m.training is False


def test_init_called_again_empties_the_registries():
    m = nn.Linear(2, 2)
    nn.Module.__init__(m)
    assert list(m.parameters()) == []
    assert m.in_features == 2


def test_init_counts_its_use_once_for_the_api_log(monkeypatch):
    logged = []
    monkeypatch.setattr(torch._C, "_log_api_usage_once", logged.append)
    nn.Module()
    assert logged == ["python.nn_module"]


def test_an_unexpected_keyword_is_refused_by_its_name():
    class Net(nn.Module):
        pass

    with raises(TypeError, "Module.__init__() got an unexpected keyword argument 'depth'"):
        nn.Module(depth=3)
    with raises(TypeError, "Net.__init__() got an unexpected keyword argument 'first'"):
        Net(first=1, second=2)


def test_positional_arguments_are_refused_by_their_count():
    with raises(TypeError, "Module.__init__() takes 1 positional argument but 2 were given"):
        nn.Module(1)
    with raises(TypeError, "Module.__init__() takes 1 positional argument but 4 were given"):
        nn.Module(None, None, None)


def test_a_keyword_is_refused_before_a_positional_argument():
    with raises(TypeError, "Module.__init__() got an unexpected keyword argument 'depth'"):
        nn.Module(1, depth=3)


def test_refused_arguments_leave_a_bare_object():
    m = nn.Module.__new__(nn.Module)
    with raises(TypeError, "Module.__init__() takes 1 positional argument but 2 were given"):
        m.__init__(1)
    assert vars(m) == {}


class Mixin:
    """Write down what reaches it and whether the Module's tables exist by then."""

    def __init__(self, *args, **kwargs):
        self.reached = (args, kwargs, "_modules" in vars(self))
        super().__init__()


def test_init_does_not_pass_control_to_a_later_base_class():
    class Net(nn.Module, Mixin):
        pass

    assert not hasattr(Net(), "reached")


def test_call_super_init_passes_the_arguments_to_the_next_base_class_last():
    class Net(nn.Module, Mixin):
        call_super_init = True

    assert Net(1, depth=2).reached == ((1,), {"depth": 2}, True)
    assert Net().reached == ((), {}, True)


def test_call_super_init_on_the_instance_counts_too():
    class Net(nn.Module, Mixin):
        def __init__(self):
            object.__setattr__(self, "call_super_init", True)
            super().__init__(5)

    assert Net().reached == ((5,), {}, True)


def test_call_super_init_with_no_further_base_class_meets_object():
    class Net(nn.Module):
        call_super_init = True

    assert list(vars(Net())) == FIELDS
    try:
        Net(depth=1)
    except TypeError as error:
        assert "object.__init__()" in str(error)
    else:
        raise AssertionError("object took a keyword")


def test_only_false_itself_refuses_arguments():
    class Net(nn.Module, Mixin):
        call_super_init = None

    assert not hasattr(Net(1, depth=2), "reached")


def test_a_base_class_before_module_is_run_first():
    class Net(Mixin, nn.Module):
        pass

    assert Net(tag=1).reached == ((), {"tag": 1}, False)


def test_parameter_before_init_is_refused():
    class Net(nn.Module):
        def __init__(self):
            self.w = nn.Parameter(torch.zeros(1))

    with raises(AttributeError, "cannot assign parameters before Module.__init__() call"):
        Net()


def test_child_before_init_is_refused():
    class Net(nn.Module):
        def __init__(self):
            self.fc = nn.Linear(1, 1)

    with raises(AttributeError, "cannot assign module before Module.__init__() call"):
        Net()


def test_buffer_before_init_is_refused():
    class Net(nn.Module):
        def __init__(self):
            self.b = nn.Buffer(torch.zeros(1))

    with raises(AttributeError, "cannot assign buffer before Module.__init__() call"):
        Net()


def test_the_register_methods_before_init_are_refused():
    bare = nn.Module.__new__(nn.Module)
    with raises(AttributeError, "cannot assign buffer before Module.__init__() call"):
        bare.register_buffer("b", torch.zeros(1))
    with raises(AttributeError, "cannot assign parameter before Module.__init__() call"):
        bare.register_parameter("w", None)
    for name in (3, "a.b", ""):
        with raises(AttributeError, "cannot assign buffer before Module.__init__() call"):
            bare.register_buffer(name, 3)
        with raises(AttributeError, "cannot assign parameter before Module.__init__() call"):
            bare.register_parameter(name, 3)
    with raises(AttributeError, "'Module' object has no attribute '_modules'"):
        bare.add_module("fc", nn.Module())


def test_plain_values_before_init_are_kept():
    class Net(nn.Module):
        def __init__(self):
            self.width = 3
            self.table = torch.zeros(2)
            self.nothing = None
            super().__init__()

    m = Net()
    assert (m.width, m.table.tolist(), m.nothing) == (3, [0.0, 0.0], None)
    assert list(m.buffers()) == []


def test_reading_and_deleting_before_init_name_what_is_missing():
    bare = nn.Module.__new__(nn.Module)
    with raises(AttributeError, "'Module' object has no attribute 'w'"):
        _ = bare.w
    with raises(AttributeError, "'Module' object has no attribute '_parameters'"):
        del bare.w


def test_the_class_attributes_have_their_defaults():
    assert nn.Module._version == 1
    assert nn.Module.dump_patches is False
    assert nn.Module.call_super_init is False
    assert nn.Module._compiled_call_impl is None


def test_the_class_stands_directly_on_object():
    assert nn.Module.__mro__ == (nn.Module, object)
    assert type(nn.Module) is type


def test_the_class_is_named_and_found_in_its_module():
    assert nn.Module.__module__ == "torch.nn.modules.module"
    assert nn.Module.__qualname__ == "Module"
    assert torch.nn.modules.module.Module is torch.nn.Module is torch.nn.modules.Module


def test_what_others_take_from_the_class_is_a_plain_function():
    names = ["__call__", "_call_impl", "_wrapped_call_impl", "__getattr__", "__setattr__", "__delattr__", "__init__"]
    names += ["__setstate__", "__getstate__", "named_parameters", "named_buffers", "_apply", "forward", "__dir__"]
    assert {name: type(vars(nn.Module)[name]) for name in names} == dict.fromkeys(names, types.FunctionType)


def test_annotations_name_the_fields_that_torchscript_reads():
    annotated = nn.Module.__annotations__
    assert {"training", "dump_patches", "forward", "__call__", "_parameters", "_buffers", "_modules"} <= set(annotated)
    assert annotated["training"] in (bool, "bool")


def test_modules_compare_and_hash_by_identity():
    a, b = nn.Module(), nn.Module()
    assert a == a and a != b
    assert len({a, b, a}) == 2


def test_the_forward_of_the_base_class_says_that_it_is_missing():
    class Net(nn.Module):
        pass

    with raises(NotImplementedError, 'Module [Net] is missing the required "forward" function'):
        Net()(torch.ones(1))
    with raises(NotImplementedError, 'Module [Module] is missing the required "forward" function'):
        nn.Module().forward()
    assert nn.Module.forward is torch.nn.modules.module._forward_unimplemented
