"""Where `self.x = value` files the value, and what it refuses."""

import pytest
import torch
from exactly import raises
from torch import nn
from torch.nn.modules import module as names


def parameter(value=0.0):
    return nn.Parameter(torch.full((1,), value))


def where(m, name="x"):
    """Name every place of `m` that holds `name`."""
    places = {"parameter": m._parameters, "buffer": m._buffers, "child": m._modules, "plain": vars(m)}
    held = [place for place, table in places.items() if name in table]
    return held + ["not saved"] * (name in m._non_persistent_buffers_set)


# --- assignment -------------------------------------------------------------------------------------------------


def test_each_kind_of_value_is_filed_in_its_own_registry():
    m = nn.Module()
    m.w, m.fc, m.b, m.t, m.n = parameter(), nn.Module(), nn.Buffer(torch.ones(1)), torch.ones(1), 3
    assert list(m._parameters) == ["w"]
    assert list(m._modules) == ["fc"]
    assert list(m._buffers) == ["b"]
    assert "t" in vars(m) and "n" in vars(m)
    assert not {"w", "fc", "b"} & set(vars(m))


def test_what_is_read_back_is_the_object_that_was_assigned():
    m = nn.Module()
    w, fc, b, items = parameter(), nn.Module(), nn.Buffer(torch.ones(1)), [1]
    m.w, m.fc, m.b, m.items = w, fc, b, items
    assert m.w is w and m.fc is fc and m.b is b and m.items is items


def test_parameters_and_layers_in_plain_containers_are_not_filed():
    m = nn.Module()
    m.bank, m.steps, m.pair = {"a": parameter()}, [nn.Linear(1, 1)], (nn.Linear(1, 1),)
    assert list(m.parameters()) == [] and list(m.children()) == [] and list(m.state_dict()) == []
    assert m.double().bank["a"].dtype == torch.float32
    assert repr(m) == "Module()"


def test_wrapping_a_plain_list_later_files_its_layers():
    m = nn.Module()
    m.steps = [nn.Linear(1, 1)]
    m.steps = nn.ModuleList(m.steps)
    assert where(m, "steps") == ["child"]
    assert [name for name, _ in m.named_parameters()] == ["steps.0.weight", "steps.0.bias"]


def test_a_subclass_of_parameter_is_filed_as_one():
    class Scale(nn.Parameter):
        pass

    m = nn.Module()
    m.x = Scale(torch.ones(1))
    assert where(m) == ["parameter"] and type(m.x) is Scale


def test_a_tensor_of_another_class_made_a_parameter_is_filed_as_one():
    class Own(torch.Tensor):
        pass

    m = nn.Module()
    m.x = nn.Parameter(torch.ones(1).as_subclass(Own))
    assert where(m) == ["parameter"] and isinstance(m.x, Own)


START = {
    "nothing": lambda m: None,
    "parameter": lambda m: setattr(m, "x", parameter()),
    "None parameter": lambda m: m.register_parameter("x", None),
    "buffer": lambda m: m.register_buffer("x", torch.zeros(1)),
    "unsaved buffer": lambda m: m.register_buffer("x", torch.zeros(1), persistent=False),
    "None buffer": lambda m: m.register_buffer("x", None),
    "child": lambda m: setattr(m, "x", nn.Module()),
    "None child": lambda m: m.add_module("x", None),
    "plain": lambda m: setattr(m, "x", 5),
}
NEW = {
    "parameter": lambda: parameter(1.0),
    "tensor": lambda: torch.ones(1),
    "Buffer": lambda: nn.Buffer(torch.ones(1)),
    "unsaved Buffer": lambda: nn.Buffer(torch.ones(1), persistent=False),
    "child": lambda: nn.Linear(1, 1),
    "int": lambda: 7,
    "None": lambda: None,
}
NO_PARAMETER = "cannot assign '{}' as parameter 'x' (torch.nn.Parameter or None expected)"
NO_CHILD = "cannot assign '{}' as child module 'x' (torch.nn.Module or None expected)"
NO_BUFFER = "cannot assign '{}' as buffer 'x' (torch.nn.Buffer, torch.Tensor or None expected)"
TAKEN = "attribute 'x' already exists"
LINEAR = "torch.nn.modules.linear.Linear"
REPLACED = {
    "nothing": [["parameter"], ["plain"], ["buffer"], ["buffer", "not saved"], ["child"], ["plain"], ["plain"]],
    "parameter": [
        ["parameter"],
        NO_PARAMETER.format("torch.FloatTensor"),
        NO_PARAMETER.format("torch.FloatTensor"),
        NO_PARAMETER.format("torch.FloatTensor"),
        NO_PARAMETER.format(LINEAR),
        NO_PARAMETER.format("int"),
        ["parameter"],
    ],
    "buffer": [
        ["parameter"],
        ["buffer"],
        ["buffer"],
        ["buffer", "not saved"],
        ["child"],
        NO_BUFFER.format("int"),
        ["buffer"],
    ],
    "unsaved buffer": [
        ["parameter"],
        ["buffer", "not saved"],
        ["buffer"],
        ["buffer", "not saved"],
        ["child"],
        NO_BUFFER.format("int"),
        ["buffer", "not saved"],
    ],
    "child": [
        ["parameter"],
        NO_CHILD.format("torch.FloatTensor"),
        NO_CHILD.format("torch.FloatTensor"),
        NO_CHILD.format("torch.FloatTensor"),
        ["child"],
        NO_CHILD.format("int"),
        ["child"],
    ],
    "plain": [["parameter"], ["plain"], TAKEN, TAKEN, ["child"], ["plain"], ["plain"]],
}
REPLACED |= {f"None {kind}": REPLACED[kind] for kind in ("parameter", "buffer", "child")}


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [(old, new, outcome) for old in START for new, outcome in zip(NEW, REPLACED[old], strict=True)],
)
def test_which_value_may_replace_which_and_where_it_is_filed_then(old, new, outcome):
    m = nn.Module()
    START[old](m)
    before, value = getattr(m, "x", None), NEW[new]()
    if isinstance(outcome, str):
        with raises(KeyError if "exists" in outcome else TypeError, outcome):
            m.x = value
        assert m.x is before
    else:
        m.x = value
        assert m.x is value
        assert where(m) == outcome


def test_a_slot_keeps_its_place_when_its_value_is_replaced():
    m = nn.Module()
    m.a, m.b = parameter(), parameter()
    m.c, m.d = nn.Module(), nn.Module()
    m.a = m.c = None
    m.a, m.c = parameter(1.0), nn.Module()
    assert list(m._parameters) == ["a", "b"] and list(m._modules) == ["c", "d"]


def test_an_attribute_set_to_none_becomes_a_child_later():
    m = nn.Module()
    m.head = None
    m.head = nn.Linear(1, 1)
    assert where(m, "head") == ["child"]


def test_assigning_the_same_parameter_to_two_names_makes_two_entries():
    m = nn.Module()
    m.a = m.b = parameter()
    assert m._parameters["a"] is m._parameters["b"]
    assert list(m.state_dict()) == ["a", "b"]


def test_a_computed_tensor_does_not_replace_a_parameter():
    m = nn.Module()
    m.x = kept = parameter()
    with raises(TypeError, NO_PARAMETER.format("torch.FloatTensor")):
        m.x = torch.softmax(m.x, 0)
    assert m.x is kept


def test_a_parameter_that_replaces_an_unsaved_buffer_is_saved():
    m = nn.Module()
    m.register_buffer("x", torch.zeros(1), persistent=False)
    m.x = parameter()
    assert list(m.state_dict()) == ["x"]
    del m.x
    m.x = nn.Buffer(torch.zeros(1))
    assert list(m.state_dict()) == ["x"]


def test_a_child_that_replaces_an_unsaved_buffer_clears_its_mark():
    m = nn.Module()
    m.register_buffer("x", torch.zeros(1), persistent=False)
    m.x = nn.Module()
    assert m._non_persistent_buffers_set == set()


def test_a_tensor_like_object_may_be_a_buffer():
    class Like:
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return NotImplemented

    m = nn.Module()
    m.register_buffer("x", Like())
    m.x = like = Like()
    assert m._buffers["x"] is like


def test_the_property_of_a_class_takes_a_plain_assignment():
    class Net(nn.Module):
        @property
        def width(self):
            return self._width

        @width.setter
        def width(self, value):
            self._width = 2 * value

    m = Net()
    m.width = 4
    assert m.width == 8 and "width" not in vars(m)


def test_the_property_of_a_class_does_not_stop_a_child():
    class Net(nn.Module):
        @property
        def head(self):
            return "property"

    m = Net()
    m.head = nn.Module()
    assert m.head == "property" and list(m._modules) == ["head"]


def test_a_class_attribute_hides_a_child_and_refuses_a_parameter():
    class Net(nn.Module):
        head = None
        scale = None

    m = Net()
    m.head = nn.Linear(1, 1)
    assert m.head is None and [name for name, _ in m.named_children()] == ["head"]
    with raises(KeyError, "attribute 'scale' already exists"):
        m.scale = parameter()
    with raises(KeyError, "attribute 'scale' already exists"):
        m.scale = nn.Buffer(torch.ones(1))


def test_a_child_named_as_a_method_is_filed_but_calls_reach_the_method():
    class Net(nn.Module):
        def encode(self):
            return "method"

    m = Net()
    m.encode = nn.Linear(1, 1)
    assert m.encode() == "method" and list(m._modules) == ["encode"]
    m.forward = nn.Identity()
    with raises(NotImplementedError, 'Module [Net] is missing the required "forward" function'):
        m(torch.ones(1))


def test_a_forward_set_on_the_instance_is_a_plain_attribute():
    m = nn.Module()
    m.forward = lambda x: x + 1
    assert m(1) == 2 and "forward" in vars(m)


def test_assignment_goes_through_the_register_methods_of_the_subclass_except_for_children():
    calls = []

    class Net(nn.Module):
        def register_buffer(self, name, tensor, persistent=True):
            calls.append(("buffer", name, persistent))
            super().register_buffer(name, tensor, persistent)

        def register_parameter(self, name, param):
            calls.append(("parameter", name, param is None))
            super().register_parameter(name, param)

        def add_module(self, name, module):
            calls.append(("child", name))
            super().add_module(name, module)

    m = Net()
    m.register_buffer("mask", torch.zeros(1), persistent=False)
    m.mask = torch.ones(1)
    m.mask = None
    m.b = nn.Buffer(torch.ones(1))
    m.w = parameter()
    m.w = None
    m.fc = nn.Module()
    m.plain = torch.ones(1)
    buffers = [("buffer", "mask", False)] * 3 + [("buffer", "b", True)]
    assert calls == [*buffers, ("parameter", "w", False), ("parameter", "w", True)]
    m.register_module("head", None)
    assert calls[-1] == ("child", "head")


class OldStyle(nn.Module):
    """Override `register_buffer` as it was before `persistent` existed."""

    def register_buffer(self, name, tensor):
        self.registered = name
        super().register_buffer(name, tensor)


def test_an_old_register_buffer_without_persistent_is_called_with_two_arguments():
    m = OldStyle()
    m.x = nn.Buffer(torch.ones(1))
    assert m.registered == "x" and where(m) == ["buffer"]


def test_an_old_register_buffer_without_persistent_refuses_an_unsaved_buffer():
    m = OldStyle()
    with raises(
        RuntimeError,
        "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without the "
        "persistent argument is not allowed.",
    ):
        m.x = nn.Buffer(torch.ones(1), persistent=False)
    assert where(m) == []


def test_a_register_buffer_set_on_the_instance_is_used_by_assignment():
    m, calls = nn.Module(), []
    m.register_buffer = lambda name, tensor, persistent: calls.append((name, persistent))
    m.x = nn.Buffer(torch.ones(1), persistent=False)
    assert calls == [("x", False)] and where(m) == []


# --- reading and deleting ---------------------------------------------------------------------------------------


def test_a_missing_attribute_is_named_with_the_class():
    class Net(nn.Module):
        pass

    with raises(AttributeError, "'Net' object has no attribute 'cdua'"):
        Net().cdua()
    assert getattr(Net(), "cdua", 3) == 3
    assert not hasattr(Net(), "cdua")


def test_an_error_inside_a_property_is_reported_as_the_property_missing():
    class Net(nn.Module):
        @property
        def size(self):
            return self.weigth.numel()

        @property
        def listed(self):
            return [].nope

    m = Net()
    with raises(AttributeError, "'Net' object has no attribute 'size'"):
        _ = m.size
    with raises(AttributeError, "'Net' object has no attribute 'listed'"):
        _ = m.listed
    m.register_buffer("size", torch.zeros(1))
    assert m.size.tolist() == [0.0]


def test_a_name_is_looked_for_among_parameters_then_buffers_then_children():
    m, w, b, c = nn.Module(), parameter(), torch.ones(1), nn.Module()
    m._parameters["x"], m._buffers["x"], m._modules["x"] = w, b, c
    assert m.x is w
    del m.x
    assert m.x is b
    del m.x
    assert m.x is c
    del m.x
    assert not hasattr(m, "x")


def test_a_plain_attribute_hides_every_registry():
    m = nn.Module()
    m.x = parameter()
    vars(m)["x"] = "plain"
    assert m.x == "plain"


def test_a_registered_none_is_read_as_none():
    m = nn.Module()
    m.register_parameter("w", None)
    m.register_buffer("b", None)
    m.add_module("c", None)
    assert (m.w, m.b, m.c) == (None, None, None)


def test_reading_survives_a_missing_table():
    m = nn.Module()
    m.w, m.b, m.c = parameter(), nn.Buffer(torch.ones(1)), nn.Module()
    fields = dict(vars(m))
    for table, kept in (("_parameters", "b"), ("_buffers", "w"), ("_modules", "w")):
        del vars(m)[table]
        assert getattr(m, kept) is not None
        with raises(AttributeError, "'Module' object has no attribute 'nope'"):
            _ = m.nope
        vars(m)[table] = fields[table]


def test_getattr_is_paid_for_registered_names_only():
    paid = []

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w, self.fc, self.n = parameter(), nn.Linear(1, 1), 3
            self.register_buffer("b", torch.ones(1))

        def __getattr__(self, name):
            paid.append(name)
            return super().__getattr__(name)

        def forward(self, x):
            return x * self.w + self.n + self.b + self.fc.in_features

    m = Net()
    assert paid == ["w", "b"]  # the question of each register method whether the name is free
    paid.clear()
    m(1.0)
    m.train(False)
    m.state_dict()
    list(m.parameters())
    assert paid == ["w", "b", "fc"]
    paid.clear()
    m.w, m.b, m.n, m.fc = parameter(), torch.zeros(1), 4, nn.Linear(1, 1)
    assert paid == ["w", "b"]


def test_deleting_takes_the_name_out_of_its_registry():
    m = nn.Module()
    m.w, m.fc, m.n = parameter(), nn.Module(), 3
    m.register_buffer("b", torch.ones(1), persistent=False)
    for name in ("w", "fc", "n", "b"):
        delattr(m, name)
        assert where(m, name) == [] and not hasattr(m, name)


def test_deleting_takes_from_one_place_at_a_time_and_plain_ones_last():
    m = nn.Module()
    m._parameters["x"], m._buffers["x"], m._modules["x"] = parameter(), torch.ones(1), nn.Module()
    vars(m)["x"] = 5
    m._non_persistent_buffers_set.add("x")
    order = []
    for _ in range(4):
        order.append(where(m))
        del m.x
    assert order == [
        ["parameter", "buffer", "child", "plain", "not saved"],
        ["buffer", "child", "plain", "not saved"],
        ["child", "plain"],
        ["plain"],
    ]


def test_deleting_a_missing_name_raises_the_error_of_object():
    with pytest.raises(AttributeError) as caught:
        del nn.Module().nope
    assert "nope" in str(caught.value)


# --- register_parameter, register_buffer, add_module -------------------------------------------------------------


def register(kind, m, name, value):
    return {
        "parameter": m.register_parameter,
        "buffer": m.register_buffer,
        "module": m.add_module,
    }[kind](name, value)


VALUES = {"parameter": parameter, "buffer": lambda: torch.zeros(1), "module": nn.Module}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("given", [True, False], ids=["value", "None"])
def test_registering_files_under_the_name_and_returns_nothing(kind, given):
    m, value = nn.Module(), VALUES[kind]() if given else None
    assert register(kind, m, "x", value) is None
    assert where(m) == [kind.replace("module", "child")]
    assert m.x is value


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("given", [True, False], ids=["value", "None"])
def test_a_name_with_a_dot_is_refused(kind, given):
    m = nn.Module()
    text = f'{kind} name can\'t contain "."' + (", got: norm.1" if kind == "module" else "")
    with raises(KeyError, text):
        register(kind, m, "norm.1", VALUES[kind]() if given else None)
    assert where(m, "norm.1") == []


@pytest.mark.parametrize("kind", VALUES)
def test_an_empty_name_is_refused(kind):
    with raises(KeyError, f'{kind} name can\'t be empty string ""'):
        register(kind, nn.Module(), "", VALUES[kind]())


@pytest.mark.parametrize("kind", VALUES)
def test_a_name_that_is_no_string_is_refused(kind):
    with raises(TypeError, f"{kind} name should be a string. Got int"):
        register(kind, nn.Module(), 3, VALUES[kind]())
    with raises(TypeError, f"{kind} name should be a string. Got torch.FloatTensor"):
        register(kind, nn.Module(), torch.ones(1), VALUES[kind]())


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("taken", ["plain", "forward", "training", "_parameters"])
def test_a_name_that_is_an_attribute_already_is_refused(kind, taken):
    m = nn.Module()
    m.plain = 1
    with raises(KeyError, f"attribute '{taken}' already exists"):
        register(kind, m, taken, VALUES[kind]())
    with raises(KeyError, f"attribute '{taken}' already exists"):
        register(kind, m, taken, None)


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("other", VALUES)
def test_a_name_of_the_same_registry_is_replaced_and_of_another_refused(kind, other):
    m, value = nn.Module(), VALUES[kind]()
    register(other, m, "x", VALUES[other]())
    if kind == other:
        register(kind, m, "x", value)
        assert m.x is value
    else:
        with raises(KeyError, "attribute 'x' already exists"):
            register(kind, m, "x", value)


def test_a_name_that_begins_with_a_digit_is_allowed():
    m = nn.Module()
    for kind in VALUES:
        register(kind, m, f"9 {kind}", VALUES[kind]())
    assert len(m.state_dict()) == 2 and len(list(m.children())) == 1


def test_what_is_no_parameter_is_refused_by_register_parameter():
    text = "cannot assign '{}' object to parameter 'x' (torch.nn.Parameter or None required)"
    with raises(TypeError, text.format("torch.FloatTensor")):
        nn.Module().register_parameter("x", torch.ones(1))
    with raises(TypeError, text.format("str")):
        nn.Module().register_parameter("x", "w")


def test_a_parameter_that_was_computed_is_refused():
    w = parameter()
    computed = w * 1
    computed.__class__ = nn.Parameter
    text = (
        "Cannot assign non-leaf Tensor to parameter 'x'. Model parameters must be created explicitly. To express 'x' "
        "as a function of another Tensor, compute the value in the forward() method."
    )
    m = nn.Module()
    with raises(ValueError, text):
        m.register_parameter("x", computed)
    with raises(ValueError, text):
        m.x = computed
    assert where(m) == []


def test_what_is_no_tensor_is_refused_by_register_buffer():
    text = "cannot assign '{}' object to buffer 'x' (torch Tensor or None required)"
    with raises(TypeError, text.format("list")):
        nn.Module().register_buffer("x", [1.0])
    with raises(TypeError, text.format(LINEAR)):
        nn.Module().register_buffer("x", nn.Linear(1, 1))


def test_what_is_no_module_is_refused_by_add_module():
    with raises(TypeError, "torch.FloatTensor is not a Module subclass"):
        nn.Module().add_module("x", torch.ones(1))
    with raises(TypeError, "torch.nn.modules.module.Module is not a Module subclass"):
        nn.Module().add_module("x", nn.Module)


def test_of_two_faults_the_first_to_be_checked_is_named():
    m = nn.Module()
    m.plain = 1
    with raises(TypeError, "int is not a Module subclass"):
        m.add_module(3, 3)
    with raises(TypeError, "parameter name should be a string. Got int"):
        m.register_parameter(3, 3)
    with raises(TypeError, "buffer name should be a string. Got int"):
        m.register_buffer(3, 3)
    with raises(KeyError, 'parameter name can\'t contain "."'):
        m.register_parameter("a.b", 3)
    with raises(KeyError, 'buffer name can\'t contain "."'):
        m.register_buffer("a.b", 3)
    with raises(KeyError, "attribute 'plain' already exists"):
        m.register_parameter("plain", 3)
    with raises(KeyError, "attribute 'plain' already exists"):
        m.register_buffer("plain", 3)
    vars(m)["a.b"] = vars(m)[""] = 1
    with raises(KeyError, "attribute 'a.b' already exists"):
        m.add_module("a.b", None)
    with raises(KeyError, "attribute '' already exists"):
        m.add_module("", None)
    with raises(KeyError, 'buffer name can\'t be empty string ""'):
        m.register_buffer("", None)
    with raises(KeyError, 'parameter name can\'t contain "."'):
        m.register_parameter("a.b", None)


def test_a_buffer_is_saved_or_not_as_persistent_last_said():
    m = nn.Module()
    m.register_buffer("x", torch.zeros(1), False)
    assert where(m) == ["buffer", "not saved"]
    m.register_buffer("x", torch.zeros(1))
    assert where(m) == ["buffer"]
    m.register_buffer("x", None, persistent=False)
    assert where(m) == ["buffer", "not saved"]


def test_a_parameter_may_be_registered_as_a_buffer():
    m, w = nn.Module(), parameter()
    m.register_buffer("x", w)
    assert where(m) == ["buffer"] and m.x is w


def test_a_buffer_that_needs_grad_stays_a_buffer():
    m = nn.Module()
    m.register_buffer("x", torch.zeros(1, requires_grad=True))
    assert list(m.parameters()) == [] and m.x.requires_grad


def test_register_module_is_add_module_by_another_name():
    m, c = nn.Module(), nn.Module()
    assert m.register_module("x", c) is None and m.x is c
    with raises(KeyError, 'module name can\'t be empty string ""'):
        m.register_module("", c)


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_a_scripted_module_refuses_an_unsaved_buffer():
    scripted = torch.jit.script(nn.Linear(1, 1))
    with raises(RuntimeError, "ScriptModule does not support non-persistent buffers"):
        nn.Module.register_buffer(scripted, "x", torch.zeros(1), persistent=False)


# --- global registration hooks -----------------------------------------------------------------------------------

ON_REGISTRATION = {
    "parameter": (names.register_module_parameter_registration_hook, "_global_parameter_registration_hooks"),
    "buffer": (names.register_module_buffer_registration_hook, "_global_buffer_registration_hooks"),
    "module": (names.register_module_module_registration_hook, "_global_module_registration_hooks"),
}


@pytest.mark.parametrize("kind", VALUES)
def test_a_registration_hook_is_told_the_module_the_name_and_the_value(kind):
    seen, m, value = [], nn.Module(), VALUES[kind]()
    hook, table = ON_REGISTRATION[kind]
    handle = hook(lambda *told: seen.append(told))
    assert list(getattr(names, table)) == [handle.id]
    for other, make in VALUES.items():
        register(other, m, other[0], value if other == kind else make())
    assert seen == [(m, kind[0], value)]
    handle.remove()
    assert not getattr(names, table)
    register(kind, m, "later", VALUES[kind]())
    assert len(seen) == 1


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("how", ["register", "assign"])
def test_a_registration_hook_replaces_the_value_for_the_next_hook(kind, how):
    given, first, second = (VALUES[kind]() for _ in range(3))
    if kind == "buffer" and how == "assign":
        given = nn.Buffer(given)
    seen = []
    hook, _ = ON_REGISTRATION[kind]

    def replace(by):
        return lambda m, name, value: seen.append(value) or by

    handles = [hook(replace(by)) for by in (first, None, second, None)]
    m = nn.Module()
    if how == "register":
        register(kind, m, "x", given)
    else:
        m.x = given
    for handle in handles:
        handle.remove()
    assert [id(value) for value in seen] == [id(value) for value in (given, first, first, second)]
    assert m.x is second


def test_hooks_are_told_of_none_for_buffers_and_children_but_not_for_parameters():
    seen, m = [], nn.Module()
    handles = [hook(lambda m, name, value: seen.append((name, value))) for hook, _ in ON_REGISTRATION.values()]
    m.register_parameter("w", None)
    m.register_buffer("b", None)
    m.add_module("c", None)
    assert seen == [("b", None), ("c", None)]
    m.b = m.c = m.w = None
    assert seen == [("b", None), ("c", None)] * 2
    for handle in handles:
        handle.remove()


def test_a_hook_may_fill_a_child_slot_that_is_set_to_none():
    m, other = nn.Module(), nn.Module()
    m.c = nn.Module()
    with names.register_module_module_registration_hook(lambda m, name, value: other):
        m.c = None
    assert m.c is other


def test_a_hook_may_return_a_falsy_value():
    m = nn.Module()
    empty = torch.tensor(0.0)
    with names.register_module_buffer_registration_hook(lambda m, name, value: empty):
        m.register_buffer("b", torch.ones(1))
    with names.register_module_parameter_registration_hook(lambda m, name, value: nn.Parameter(empty)):
        m.w = parameter(1.0)
    with names.register_module_module_registration_hook(lambda m, name, value: nn.ModuleList()):
        m.c = nn.Linear(1, 1)
    assert m.b is empty and m.w.item() == 0.0 and len(m.c) == 0


def test_a_hook_that_raises_leaves_the_name_unregistered():
    def refuse(m, name, value):
        raise LookupError(name)

    m = nn.Module()
    for kind, (hook, _) in ON_REGISTRATION.items():
        with hook(refuse), raises(LookupError, "x"):
            register(kind, m, "x", VALUES[kind]())
    assert where(m) == []


def test_assigning_a_plain_value_calls_no_hook():
    seen, m = [], nn.Module()
    with names.register_module_buffer_registration_hook(lambda *told: seen.append(told)):
        m.t = torch.ones(1)
    assert seen == []


def test_a_registration_hook_sees_the_layers_of_torch_being_built():
    seen = []
    with names.register_module_parameter_registration_hook(lambda m, name, value: seen.append(name)):
        nn.Sequential(nn.Linear(1, 1), nn.LayerNorm(1))
    assert seen == ["weight", "bias", "weight", "bias"]


# --- the containers of torch -------------------------------------------------------------------------------------


def test_sequential_keeps_names_in_a_slice_and_renumbers_on_deletion():
    s = nn.Sequential(*[nn.Linear(1, 1, bias=False) for _ in range(5)])
    tail = s[2:]
    assert list(tail._modules) == ["2", "3", "4"] and tail[0] is s[2]
    del s[1]
    s[0] = nn.Identity()
    s.insert(1, nn.Dropout(0.5))
    s.append(nn.ReLU())
    assert [type(m).__name__ for m in s] == ["Identity", "Dropout", "Linear", "Linear", "Linear", "ReLU"]
    assert list(s._modules) == ["0", "1", "2", "3", "4", "5"]
    assert list(tail.state_dict()) == ["2.weight", "3.weight", "4.weight"]
    with pytest.raises(IndexError):
        _ = s[9]
    with raises(TypeError, "int is not a Module subclass"):
        nn.Sequential(5)


def test_module_list_renumbers_from_zero_and_has_no_forward():
    layers = nn.ModuleList([nn.Linear(1, 1, bias=False) for _ in range(3)])
    with raises(NotImplementedError, 'Module [ModuleList] is missing the required "forward" function'):
        layers(torch.ones(1, 1))
    layers.insert(0, nn.Dropout(0.1))
    layers += [nn.Dropout(0.2)]
    layers.extend(m for m in [nn.Dropout(0.3)])
    part = layers[4:]
    del layers[1:3]
    assert [type(m).__name__ for m in layers] == ["Dropout", "Linear", "Dropout", "Dropout"]
    assert list(layers.state_dict()) == ["1.weight"]
    assert list(part._modules) == ["0", "1"] and len(part + nn.ModuleList([nn.Linear(1, 1)])) == 3
    assert layers.pop(-1).p == 0.3


def test_module_dict_files_its_layers_by_key():
    layers = nn.ModuleDict({"a": nn.Linear(1, 1, bias=False), "b": nn.Identity()})
    layers["c"] = nn.Linear(1, 1, bias=False)
    del layers["b"]
    assert list(layers.keys()) == ["a", "c"] and list(layers.state_dict()) == ["a.weight", "c.weight"]
    with raises(KeyError, 'module name can\'t contain ".", got: x.y'):
        layers["x.y"] = nn.Identity()


def test_parameter_list_and_dict_make_parameters_of_tensors_and_keep_other_values():
    m = nn.Module()
    m.ps = nn.ParameterList([torch.ones(1), parameter(), "note"])
    m.pd = nn.ParameterDict({"b": torch.ones(1), "a": 3})
    m.ps.append(torch.zeros(1))
    m.pd["z"] = parameter()
    assert [name for name, _ in m.named_parameters()] == ["ps.0", "ps.1", "ps.3", "pd.b", "pd.z"]
    assert m.ps[2] == "note" and m.pd["a"] == 3 and list(m.pd) == ["a", "b", "z"]
    assert list(m.state_dict()) == ["ps.0", "ps.1", "ps.3", "pd.b", "pd.z"]


def test_a_name_is_deleted_from_a_module_that_has_lost_a_later_registry():
    m = nn.Module()
    m.w = nn.Parameter(torch.ones(1))
    del m.__dict__["_buffers"]
    del m.w
    assert list(m._parameters) == []
    with raises(AttributeError, "'Module' object has no attribute '_buffers'"):
        del m.w
