"""to, dtype casts, meta, share_memory: one function run over every Parameter, gradient and buffer."""

import warnings

import pytest
import torch
from exactly import raises, warns
from torch import nn
from torch.testing._internal.two_tensor import TwoTensor


class Mixed(nn.Module):
    """Hold a value of each kind: floating, complex, whole and boolean; Parameter and buffer; own and in a child."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
        self.z = nn.Parameter(torch.ones(2, dtype=torch.complex64))
        self.index = nn.Parameter(torch.zeros(2, dtype=torch.long), requires_grad=False)
        self.register_buffer("mask", torch.ones(2, dtype=torch.bool))
        self.register_buffer("mean", torch.ones(2))
        self.register_buffer("cache", torch.ones(2), persistent=False)
        self.register_parameter("no_parameter", None)
        self.register_buffer("no_buffer", None)
        self.fc = nn.Linear(2, 2)
        self.add_module("no_child", None)


NAMES = ["w", "z", "index", "fc.weight", "fc.bias", "mask", "mean", "cache"]


def dtypes(m):
    values = [*m.named_parameters(), *m.named_buffers()]
    assert [name for name, _ in values] == NAMES
    return " ".join(str(value.dtype).removeprefix("torch.") for _, value in values)


def with_grad(m):
    """Give each Parameter that can have one a gradient."""
    for p in m.parameters():
        if p.requires_grad:
            p.grad = torch.ones_like(p)
    return m


@pytest.fixture
def overwrite():
    torch.__future__.set_overwrite_module_params_on_conversion(True)


@pytest.fixture
def swap():
    torch.__future__.set_swap_module_params_on_conversion(True)


# --- which dtypes ------------------------------------------------------------------------------------------------

BEFORE = "float32 complex64 int64 float32 float32 bool float32 float32"
FLOATS = "{0} complex64 int64 {0} {0} bool {0} {0}"
ALL = "{0} {0} int64 {0} {0} bool {0} {0}"


@pytest.mark.parametrize("name", ["half", "bfloat16", "double", "float"])
def test_a_cast_by_name_touches_floating_values_only_and_returns_the_module(name):
    m = Mixed()
    assert dtypes(m) == BEFORE
    if name == "float":
        m.double()
    assert getattr(m, name)() is m
    assert dtypes(m) == FLOATS.format({"half": "float16", "double": "float64", "float": "float32"}.get(name, name))


def test_type_touches_every_value_and_takes_a_name_too():
    m = nn.BatchNorm1d(2)
    assert m.type(torch.float64) is m
    assert {value.dtype for value in m.state_dict().values()} == {torch.float64}
    m.type("torch.FloatTensor")
    assert {value.dtype for value in m.state_dict().values()} == {torch.float32}
    m.type(dst_type=torch.half)
    assert m.weight.dtype == torch.half


def test_to_a_floating_dtype_casts_floating_and_complex_values():
    m = Mixed()
    del m.z
    assert m.to(torch.float64) is m
    assert m.w.dtype == m.fc.bias.dtype == m.mean.dtype == torch.float64
    assert m.index.dtype == torch.long and m.mask.dtype == torch.bool


COMPLEX = (
    "Complex modules are a new feature under active development whose design may change, and some modules might not "
    "work as expected when using complex tensors as parameters or buffers. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as "
    "expected."
)


def test_to_a_complex_dtype_warns_the_caller_and_casts_complex_values_too():
    m = Mixed()
    with warns((UserWarning, COMPLEX)) as seen:
        m.to(torch.complex128)
    assert seen[0].filename == __file__
    assert dtypes(m) == ALL.format("complex128")


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8])
def test_to_a_whole_dtype_is_refused(dtype):
    m = Mixed()
    text = f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
    with raises(TypeError, text):
        m.to(dtype)
    with raises(TypeError, text):
        m.to(torch.zeros(1, dtype=dtype))
    assert dtypes(m) == BEFORE


# --- the forms of to ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (("cpu",), {}),
        ((torch.device("cpu"),), {}),
        ((None,), {}),
        ((), {"device": "cpu"}),
        ((), {"device": None}),
        (("cpu", torch.float32), {}),
        (("cpu", None), {}),
        (("cpu", None, True), {}),
        ((torch.float32, False), {}),
        ((torch.zeros(1),), {}),
        ((torch.zeros(1), True), {}),
        ((), {"tensor": torch.zeros(1)}),
        ((), {"other": torch.zeros(1)}),
        ((), {"non_blocking": True}),
        ((), {"memory_format": torch.preserve_format}),
    ],
)
def test_each_form_of_to_that_changes_nothing_is_taken_or_refused_as_by_the_parser(args, kwargs):
    m = nn.Linear(1, 1)
    m.register_buffer("b", torch.ones(1))
    weight, buffer = m.weight, m.b
    try:
        torch._C._nn._parse_to(*args, **kwargs)
    except TypeError as error:
        with raises(TypeError, str(error)):
            m.to(*args, **kwargs)
    else:
        assert m.to(*args, **kwargs) is m
    assert m.weight is weight and m.b is buffer


@pytest.mark.parametrize(
    ("args", "kwargs", "device", "dtype"),
    [
        ((torch.float64,), {}, "cpu", torch.float64),
        ((), {"dtype": torch.float64}, "cpu", torch.float64),
        (("meta",), {}, "meta", torch.float32),
        (("meta", torch.float64), {}, "meta", torch.float64),
        ((), {"device": "meta", "dtype": torch.half}, "meta", torch.half),
        ((torch.zeros(1, dtype=torch.float64),), {}, "cpu", torch.float64),
        ((torch.zeros(1, dtype=torch.half, device="meta"),), {}, "meta", torch.half),
    ],
)
def test_to_takes_device_and_dtype_alone_or_together_or_from_a_tensor(args, kwargs, device, dtype):
    m = nn.BatchNorm1d(1).to(*args, **kwargs)
    for value in (m.weight, m.bias, m.running_mean, m.running_var):
        assert (value.device.type, value.dtype) == (device, dtype)
    assert (m.num_batches_tracked.device.type, m.num_batches_tracked.dtype) == (device, torch.int64)


def test_to_without_arguments_or_with_wrong_ones_is_refused_in_the_words_of_the_parser():
    m = nn.Linear(1, 1)
    for args, kwargs in (((), {"dtyp": torch.half}), (("cpu", "cpu"), {}), (("nowhere",), {}), ((), {"copy": True})):
        try:
            torch._C._nn._parse_to(*args, **kwargs)
        except (TypeError, RuntimeError) as error:
            with raises(type(error), str(error)):
                m.to(*args, **kwargs)
        else:
            raise AssertionError(f"the parser takes {args} {kwargs}")


class Spy(torch.Tensor):
    """Write down the arguments of each `to`."""

    told: list = []  # noqa: RUF012

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function is torch.Tensor.to:
            Spy.told.append((args[1:], kwargs or {}))
        return super().__torch_function__(function, types, args, kwargs or {})


@pytest.mark.parametrize(
    ("asked", "told", "kwargs"),
    [
        ({"dtype": torch.float64}, (None, torch.float64, False), {}),
        ({"device": "cpu", "non_blocking": True}, (torch.device("cpu"), None, True), {}),
        ({"memory_format": torch.channels_last}, (None, None, False), {"memory_format": torch.channels_last}),
        (
            {"device": "cpu", "dtype": torch.half, "non_blocking": True, "memory_format": torch.channels_last},
            (torch.device("cpu"), torch.half, True),
            {"memory_format": torch.channels_last},
        ),
    ],
)
def test_to_passes_on_device_dtype_and_non_blocking_and_the_format_for_4_and_5_dimensions(asked, told, kwargs):
    m = nn.Module()
    for dimensions in range(3, 7):
        m.register_buffer(f"b{dimensions}", torch.ones([1] * dimensions).as_subclass(Spy))
    m.register_buffer("whole", torch.ones([1] * 4, dtype=torch.long).as_subclass(Spy))
    Spy.told = []
    try:
        m.to(**asked)
    except RuntimeError as error:  # 5 dimensions have another last format
        assert "rank 4" in str(error)
    given = Spy.told
    if kwargs:
        assert given == [(told, {}), (told, kwargs), (told, kwargs)]
    else:
        whole = (told[0], None, told[2])
        assert given == [(told, {})] * 4 + [(whole, {})]


def test_to_channels_last_changes_the_strides_of_4_dimensional_weights_only():
    m = nn.Sequential(nn.Conv2d(2, 2, 3), nn.Linear(2, 2))
    linear = m[1].weight.stride()
    assert m.to(memory_format=torch.channels_last) is m
    assert m[0].weight.is_contiguous(memory_format=torch.channels_last) and m[1].weight.stride() == linear
    m = nn.Conv3d(2, 2, 3).to(memory_format=torch.channels_last_3d)
    assert m.weight.is_contiguous(memory_format=torch.channels_last_3d)


# --- devices -----------------------------------------------------------------------------------------------------


def test_cpu_returns_the_module_and_leaves_values_that_are_there():
    m = Mixed()
    w, mean = m.w, m.mean
    assert m.cpu() is m and m.w is w and m.mean is mean
    assert dtypes(m) == BEFORE


@pytest.mark.parametrize("name", ["cuda", "xpu", "ipu", "mtia"])
def test_a_device_by_name_asks_each_value_for_it(name):
    asked = []

    class Asked(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            asked.append((getattr(function, "__name__", function), args[1:], kwargs or {}))
            return torch.ones(1)

    if not hasattr(torch.Tensor, name):
        with pytest.raises(AttributeError, match=f"'Tensor' object has no attribute '{name}'"):
            m = nn.Module()
            m.register_buffer("b", torch.ones(1))
            getattr(m, name)()
        return
    for args in ((), (1,), ("x:2",)):
        m = nn.Module()
        m.register_buffer("b", torch.ones(1).as_subclass(Asked))
        asked.clear()
        assert getattr(m, name)(*args) is m
        assert asked == [(name, args or (None,), {})]


def test_moving_to_a_device_that_is_not_there_says_so_as_the_tensor_does():
    if torch.cuda.is_available():
        pytest.skip("this machine has the device that the test wants missing")
    for move in (lambda thing: thing.cuda(), lambda thing: thing.to("cuda")):
        with pytest.raises((AssertionError, RuntimeError)) as of_tensor:
            move(torch.ones(1))
        with raises(of_tensor.type, str(of_tensor.value)):
            move(nn.Linear(1, 1))


def test_leaving_the_meta_device_by_to_is_refused_with_advice():
    m = nn.Linear(1, 1, device="meta")
    text = (
        "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
        "torch.nn.Module.to() when moving module from meta to a different device."
    )
    with raises(NotImplementedError, text) as caught:
        m.to("cpu")
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
    with raises(NotImplementedError, text):
        nn.Conv2d(1, 1, 1, device="meta").to("cpu", memory_format=torch.channels_last)
    with raises(NotImplementedError, "Cannot copy out of meta tensor; no data!"):
        m.cpu()


def test_another_not_implemented_error_of_to_is_left_as_it_is():
    class Refusing(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            if function is torch.Tensor.to:
                raise NotImplementedError("own reason")
            return super().__torch_function__(function, types, args, kwargs or {})

    m = nn.Module()
    m.register_buffer("b", torch.ones(1).as_subclass(Refusing))
    with raises(NotImplementedError, "own reason"):
        m.to("cpu")


def test_to_empty_makes_fresh_memory_on_the_device_for_every_value():
    m = nn.BatchNorm1d(2, device="meta")
    assert m.to_empty(device="cpu") is m
    assert {value.device.type for value in m.state_dict().values()} == {"cpu"}
    assert m.weight.requires_grad and m.weight.shape == (2,) and m.num_batches_tracked.dtype == torch.long
    with pytest.raises(TypeError):
        m.to_empty("cpu")
    with pytest.raises(TypeError):
        m.to_empty()


def test_to_empty_asks_for_empty_memory_and_may_stay_on_the_device():
    m = nn.Linear(2, 2)
    pointer = m.weight.data_ptr()
    m.to_empty(device=None)
    assert m.weight.device.type == "cpu" and m.weight.data_ptr() != pointer


def test_to_empty_without_recurse_leaves_the_children():
    m = nn.Sequential(nn.Linear(1, 1, device="meta"))
    m.w = nn.Parameter(torch.ones(1, device="meta"))
    m.to_empty(device="cpu", recurse=False)
    assert m.w.device.type == "cpu" and m[0].weight.is_meta
    m.to_empty(device="cpu", recurse=True)
    assert not m[0].weight.is_meta


def test_moving_to_meta_and_back_makes_new_parameters_and_parts_ties():
    m = nn.Module()
    m.a = m.b = nn.Parameter(torch.ones(1), requires_grad=False)
    a = m.a
    m.to("meta")
    assert m.a is not a and m.a.is_meta and m.b.is_meta and m.a is not m.b
    assert type(m.a) is nn.Parameter and not m.a.requires_grad
    assert list(m._parameters) == ["a", "b"]


# --- identity ----------------------------------------------------------------------------------------------------


def test_a_cast_keeps_parameters_and_gradients_but_makes_new_buffers():
    m = with_grad(Mixed())
    w, grad, mean = m.w, m.w.grad, m.mean
    m.double()
    assert m.w is w and m.w.grad is grad and m.mean is not mean
    assert w.dtype == grad.dtype == torch.float64 and mean.dtype == torch.float32
    assert m.fc.weight.grad.dtype == torch.float64 and m.index.grad is None


def test_a_cast_keeps_what_each_parameter_and_gradient_says_of_requires_grad():
    m = nn.Linear(1, 1)
    m.bias.requires_grad_(False)
    m.weight.grad = torch.ones(1, 1, requires_grad=True)
    m.double()
    assert [p.requires_grad for p in m.parameters()] == [True, False]
    assert m.weight.is_leaf and m.weight.grad.requires_grad


def test_the_function_runs_without_recording_a_graph():
    recording = []

    def double(t):
        recording.append(torch.is_grad_enabled())
        return t * 2

    m = with_grad(nn.Linear(1, 1))
    m.register_buffer("b", torch.ones(1))
    m._apply(double)
    assert recording == [False] * 4 + [True]
    assert m.weight.grad.item() == 2.0 and m.b.item() == 2.0 and m.weight.is_leaf


def test_the_function_gets_own_parameters_then_buffers_after_those_of_children():
    seen = []
    m = with_grad(Mixed())
    assert m._apply(lambda t: seen.append(t) or t) is m
    grad = {name: p.grad for name, p in m.named_parameters()}
    order = [m.fc.weight, grad["fc.weight"], m.fc.bias, grad["fc.bias"], m.w, grad["w"], m.z, grad["z"], m.index]
    order += [m.mask, m.mean, m.cache]
    assert len(seen) == len(order) and all(a is b for a, b in zip(seen, order, strict=True))


def test_apply_without_recurse_stays_in_the_module():
    seen = []
    m = Mixed()
    m._apply(lambda t: seen.append(t) or t, recurse=False)
    assert len(seen) == 6
    m._apply(lambda t: seen.append(t) or t, False)
    assert len(seen) == 12


def test_a_move_goes_through_the_apply_of_each_child_once_and_never_through_its_to():
    calls = []

    class Child(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(1))
            self.cache = torch.ones(1)

        def to(self, *args, **kwargs):
            calls.append("to")
            return super().to(*args, **kwargs)

        double = to

        def _apply(self, fn, recurse=True):
            calls.append(("_apply", recurse))
            super()._apply(fn, recurse)
            self.cache = fn(self.cache)
            return self

    kid = Child()
    net = nn.Sequential(kid, kid)
    net.to(torch.float16)
    net.double()
    assert calls == [("_apply", True)] * 2
    assert net[0].w.dtype == net[0].cache.dtype == torch.float64


def test_a_move_returns_what_the_apply_of_the_subclass_returns():
    class Own(nn.Module):
        def _apply(self, fn, recurse=True):
            return ("moved", fn(torch.ones(1)).dtype, recurse)

    m = Own()
    assert m.half() == ("moved", torch.float16, True)
    assert m.to(torch.float64) == m.double() == m.type(torch.float64) == ("moved", torch.float64, True)
    assert m.bfloat16() == ("moved", torch.bfloat16, True)
    assert m.float() == m.cpu() == m.share_memory() == ("moved", torch.float32, True)
    assert m.to_empty(device="cpu", recurse=False) == ("moved", torch.float32, False)


def test_a_tie_survives_a_cast_but_a_shared_buffer_parts():
    a, b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    b.weight = a.weight
    a.register_buffer("t", torch.ones(2))
    b.register_buffer("t", a.t)
    net = nn.Sequential(a, b)
    assert len(list(net.buffers())) == 1
    net.double()
    assert a.weight is b.weight and a.weight.dtype == torch.float64
    assert a.t is not b.t and len(list(net.buffers())) == 2


def test_a_tie_by_data_lasts_until_the_first_cast():
    a, b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    b.weight.data = a.weight.data
    nn.Sequential(a, b).double()
    assert a.weight.data_ptr() != b.weight.data_ptr()


def test_an_optimizer_made_before_a_cast_still_works():
    m = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(m.parameters(), lr=0.5)
    m(torch.ones(1, 1)).sum().backward()
    m.to(torch.float64)
    before = m.weight.item()
    optimizer.step()
    assert round(before - m.weight.item(), 6) == 0.5


def test_a_parameter_that_is_no_parameter_is_refused_where_a_new_one_is_needed():
    m = nn.Module()
    m._parameters["w"] = torch.ones(1)
    m.double()
    assert m._parameters["w"].dtype == torch.float64
    with pytest.raises(AssertionError):
        m.to("meta")


def test_share_memory_moves_every_value_and_returns_the_module():
    m = nn.BatchNorm1d(2)
    m.plain, w = torch.ones(2), m.weight
    assert m.share_memory() is m and m.weight is w
    assert all(value.is_shared() for value in m.state_dict().values()) and not m.plain.is_shared()


# --- torch.__future__: new Parameters instead of new data --------------------------------------------------------


def test_under_overwrite_a_cast_makes_new_parameters_and_gradients(overwrite):
    m = with_grad(Mixed())
    w, grad = m.w, m.w.grad
    m.index.requires_grad_(False)
    m.double()
    assert m.w is not w and type(m.w) is nn.Parameter and m.w.requires_grad and not m.index.requires_grad
    assert m.w.grad is not grad and m.w.grad.dtype == torch.float64
    assert w.dtype == grad.dtype == torch.float32 and w.grad is grad
    assert list(m._parameters) == ["w", "z", "index", "no_parameter"]


def test_under_overwrite_a_gradient_keeps_what_it_says_of_requires_grad(overwrite):
    m = nn.Linear(1, 1)
    m.weight.grad, m.bias.grad = torch.ones(1, 1, requires_grad=True), torch.ones(1)
    m.double()
    assert m.weight.grad.requires_grad and not m.bias.grad.requires_grad


@pytest.mark.filterwarnings("ignore:The .grad attribute")
def test_under_overwrite_a_parameter_with_a_graph_is_refused(overwrite):
    m = nn.Module()
    m._parameters["w"] = torch.ones(1)
    with pytest.raises(AssertionError):
        m.double()
    computed = nn.Parameter(torch.ones(1)) * 2
    computed.__class__ = nn.Parameter
    m._parameters["w"] = computed
    with pytest.raises(AssertionError):
        m.double()


def test_under_overwrite_a_gradient_with_a_graph_is_refused(overwrite):
    m = nn.Linear(1, 1)
    m.weight.grad = torch.ones(1, 1, requires_grad=True) * 2
    with pytest.raises(AssertionError):
        m.double()
    assert m.weight.dtype == torch.float64 and m.weight.grad is None


def test_a_gradient_moves_to_another_device_as_a_new_tensor():
    m = with_grad(nn.Linear(1, 1))
    m.weight.grad.requires_grad_(True)
    # `.grad =` refuses a gradient of another device, so the new Parameter must be the one that gets it
    m.to("meta")
    assert m.weight.grad.is_meta and m.weight.grad.requires_grad and not m.bias.grad.requires_grad


# --- torch.__future__: swap --------------------------------------------------------------------------------------


def test_under_swap_a_cast_keeps_the_parameter_and_its_gradient_as_objects(swap):
    m = with_grad(Mixed())
    w, grad, ids = m.w, m.w.grad, [id(p) for p in m.parameters()]
    m.index.requires_grad_(False)
    m.double()
    assert m.w is w and m.w.grad is grad and [id(p) for p in m.parameters()] == ids
    assert w.dtype == grad.dtype == torch.float64 and w.requires_grad and not m.index.requires_grad
    assert type(w) is nn.Parameter


def test_under_swap_even_a_move_to_meta_keeps_the_object_and_the_tie(swap):
    m = nn.Module()
    m.a = m.b = nn.Parameter(torch.ones(1))
    a = m.a
    a.grad = torch.ones(1, requires_grad=True)
    m.to("meta")
    assert m.a is a is m.b and a.is_meta and a.grad.is_meta and a.grad.requires_grad


def test_under_swap_a_failed_swap_names_the_parameter_and_keeps_the_gradient(swap, monkeypatch):
    class Net(nn.Linear):
        def _get_name(self):
            return "Renamed"

    m = with_grad(Net(1, 1))
    grad = m.weight.grad
    reason = ValueError("no")

    def refuse(a, b):
        raise reason

    monkeypatch.setattr(torch.utils, "swap_tensors", refuse)
    with raises(RuntimeError, "_apply(): Couldn't swap Renamed.weight") as caught:
        m.double()
    assert caught.value.__cause__ is reason and m.weight.grad is grad and m.weight.dtype == torch.float32
    m.zero_grad()
    with raises(RuntimeError, "_apply(): Couldn't swap Renamed.weight"):
        m.double()
    assert m.weight.grad is None


def test_under_swap_a_failed_swap_of_the_gradient_names_it(swap, monkeypatch):
    m = with_grad(nn.Linear(1, 1))
    reason, swapped = ValueError("no"), torch.utils.swap_tensors

    def refuse_gradients(a, b):
        if not isinstance(a, nn.Parameter):
            raise reason
        swapped(a, b)

    monkeypatch.setattr(torch.utils, "swap_tensors", refuse_gradients)
    with raises(RuntimeError, "_apply(): Couldn't swap Linear.weight.grad") as caught:
        m.double()
    assert caught.value.__cause__ is reason


def test_under_swap_a_parameter_that_a_graph_holds_cannot_be_swapped(swap):
    m = nn.Linear(1, 1)
    out = m(torch.ones(1, 1, requires_grad=True))  # holds the weight until its backward
    with raises(RuntimeError, "_apply(): Couldn't swap Linear.weight"):
        m.double()
    assert out.requires_grad and m.weight.dtype == torch.float32


def test_under_swap_the_gradient_is_taken_off_while_the_parameter_is_swapped(swap, monkeypatch):
    m, swapped, seen = with_grad(nn.Linear(1, 1)), torch.utils.swap_tensors, []

    def look(a, b):
        seen.append((type(a).__name__, a.grad))
        swapped(a, b)

    monkeypatch.setattr(torch.utils, "swap_tensors", look)
    m.double()
    assert seen == [("Parameter", None), ("Tensor", None)] * 2 and m.weight.grad.dtype == torch.float64


def test_wrapper_tensors_are_swapped_without_being_asked():
    m = nn.Linear(2, 2, bias=False)
    m.weight = nn.Parameter(TwoTensor(torch.ones(2, 2), torch.ones(2, 2)), requires_grad=False)
    weight = m.weight
    m.double()
    assert m.weight is weight and weight.a.dtype == weight.b.dtype == torch.float64 and not weight.requires_grad


def test_a_plain_parameter_that_becomes_a_wrapper_is_swapped():
    m = nn.Linear(2, 2, bias=False)
    weight = m.weight
    m._apply(lambda t: TwoTensor(t.detach(), t.detach().clone()))
    assert m.weight is weight and isinstance(weight, TwoTensor) and isinstance(weight, nn.Parameter)


def test_a_fake_parameter_is_swapped_without_being_asked(monkeypatch):
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

    swapped = []
    monkeypatch.setattr(torch.utils, "swap_tensors", lambda a, b: swapped.append((a, b)))
    with FakeTensorMode():
        m = with_grad(nn.Linear(2, 2, bias=False))
        weight, grad = m.weight, m.weight.grad
        m.double()
    assert [a for a, _ in swapped] == [weight, grad] and m.weight is weight
    assert all(isinstance(b, FakeTensor) and b.dtype == torch.float64 for _, b in swapped)


def test_a_real_parameter_that_becomes_fake_is_replaced():
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

    m = with_grad(nn.Linear(1, 1))
    weight, mode = m.weight, FakeTensorMode()
    m._apply(mode.from_tensor)
    assert m.weight is not weight and isinstance(m.weight, FakeTensor) and isinstance(m.weight, nn.Parameter)
    assert isinstance(m.weight.grad, FakeTensor)


def test_lazy_parameters_are_cast_before_they_have_a_shape():
    m = nn.LazyLinear(2).double()
    assert isinstance(m.weight, nn.UninitializedParameter) and m.weight.dtype == torch.float64
    assert m(torch.ones(1, 3, dtype=torch.float64)).dtype == torch.float64


def test_to_asks_what_is_no_tensor_in_one_order():
    class Empty:
        __torch_function__ = None

    m = nn.Module()
    m.register_buffer("b", Empty())
    with raises(AttributeError, "'Empty' object has no attribute 'to'"):
        m.to(torch.float64)
    with raises(AttributeError, "'Empty' object has no attribute 'dim'"):
        m.to(memory_format=torch.channels_last)


NO_TENSOR = "_has_compatible_shallow_copy_type(): argument 'from' (position 2) must be Tensor, not str"


def test_a_parameter_is_asked_for_its_gradient_after_what_it_became_was_looked_at():
    m = nn.Module()
    m.w = nn.Parameter(torch.ones(1))
    m._parameters["w"] = m.w * 2  # no leaf: to ask it for a gradient is a warning
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with raises(TypeError, NO_TENSOR):
            m.type(None)
    assert warned == []


def test_a_gradient_that_becomes_no_tensor_is_refused_before_it_is_swapped():
    m = nn.Module()
    m.w = nn.Parameter(torch.ones(1))
    m.w.grad = torch.ones(1)
    seen = []

    def once(tensor):
        seen.append(tensor)
        return tensor * 2 if len(seen) == 1 else "no tensor"

    torch.__future__.set_swap_module_params_on_conversion(True)
    with raises(TypeError, NO_TENSOR):
        m._apply(once)
    assert m.w.tolist() == [2.0]


def test_what_is_no_tensor_among_the_parameters_is_refused_by_a_move():
    model = nn.Module()
    model._parameters["a"] = nn.Module()
    with pytest.raises(TypeError, match="must be Tensor, not Module"):
        model._apply(lambda tensor: tensor)
