"""Full and legacy backward hooks and backward pre-hooks: what they are given, may return, and when they fire."""

from collections import namedtuple

import pytest
import torch
from exactly import raises, warns
from torch import nn
from torch.nn.modules import module as names

NO_INPUT_NEEDS_GRAD = "ignore:Full backward hook is firing"


def plain(grads):
    return [None if grad is None else grad.tolist() for grad in grads]


def one(value=1.0):
    return torch.full((1,), value, requires_grad=True)


class Times(nn.Module):
    """Multiply by a weight."""

    def __init__(self, weight=2.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((1,), weight))

    def forward(self, x):
        return x * self.weight


class Calls(nn.Module):
    """Do what the given function does."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


# --- full backward hooks -----------------------------------------------------------------------------------------


def test_a_full_hook_is_given_the_module_and_both_gradients_as_tuples():
    m, told, x = Times(3.0), [], one()
    m.register_full_backward_hook(lambda m, gin, gout: told.append((m, type(gin), plain(gin), type(gout), plain(gout))))
    m(x).backward()
    assert told == [(m, tuple, [[3.0]], tuple, [[1.0]])]
    assert x.grad.item() == 3.0 and m.weight.grad.item() == 1.0


def test_a_full_hook_may_replace_the_gradient_of_the_input():
    m, seen, x = Times(3.0), [], one()
    m.register_full_backward_hook(lambda m, gin, gout: (gin[0] * 10,))
    m.register_full_backward_hook(lambda m, gin, gout: seen.append(plain(gin)))
    m.register_full_backward_hook(lambda m, gin, gout: [gin[0] + 1])
    m(x).backward()
    assert seen == [[[30.0]]] and x.grad.item() == 31.0 and m.weight.grad.item() == 1.0


def test_full_hooks_run_in_order_with_prepended_and_global_ones_first():
    m, log = Times(), []
    m.register_full_backward_hook(lambda *given: log.append("first"))
    m.register_full_backward_hook(lambda *given: log.append("second"))
    m.register_full_backward_hook(lambda *given: log.append("prepended"), prepend=True)
    names.register_module_full_backward_hook(lambda *given: log.append("global"))
    m(one()).backward()
    assert log == ["global", "prepended", "first", "second"]


def test_the_hook_of_a_parent_fires_after_those_of_its_children_in_reverse():
    log = []
    net = nn.Sequential(Times(), Times())
    for name, m in net.named_modules():
        m.register_full_backward_hook(lambda m, gin, gout, name=name: log.append(name))
    net(one()).backward()
    assert log == ["1", "0", ""]


def test_a_removed_full_hook_does_not_fire_but_one_that_a_call_took_along_does():
    m, log = Times(), []
    handle = m.register_full_backward_hook(lambda *given: log.append("fired"))
    assert list(m._backward_hooks) == [handle.id]
    out = m(one())
    handle.remove()
    assert not m._backward_hooks
    out.backward()
    m(one()).backward()
    assert log == ["fired"]


def test_backward_hooks_that_a_forward_hook_adds_count_from_the_next_call():
    for kind in ("full_backward_hook", "full_backward_pre_hook"):
        m, log = Times(), []
        register = getattr(m, f"register_{kind}")

        def add(m, args, register=register, log=log):
            register(lambda *given: log.append("fired"))

        with m.register_forward_pre_hook(add):
            m.register_full_backward_hook(lambda *given, log=log: log.append("there before"))
            m(one()).backward()
        assert log == ["there before"]
        m(one()).backward()
        assert log.count("fired") == 1 and log.count("there before") == 2


def test_a_full_hook_keeps_the_positions_of_several_inputs():
    m, told = Calls(lambda a, b, k, extra=None: (a * b * k, 5, a + b)), []
    m.register_full_backward_hook(lambda m, gin, gout: told.append((plain(gin), plain(gout))))
    a, b = torch.tensor([3.0]), one(5.0)
    out = m(a, b, 2, extra=b)
    assert type(out) is tuple and out[1] == 5
    out[0].backward()
    assert told == [([[0.0], [6.0], None], [[1.0], None, None])] and b.grad.item() == 6.0


@pytest.mark.filterwarnings(NO_INPUT_NEEDS_GRAD)
def test_tensors_in_keywords_and_containers_are_not_seen_by_a_full_hook():
    m, told = Calls(lambda pair, k: pair[0] * k), []
    m.register_full_backward_hook(lambda m, gin, gout: told.append(plain(gin)))
    x, k = one(), one(3.0)
    m([x], k=k).backward()
    assert told == [[None]] and x.grad.item() == 3.0 and k.grad.item() == 1.0


WITHOUT = "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs"


def test_a_full_hook_fires_without_an_input_that_needs_grad_before_the_weight_has_one():
    m, told = Times(), []
    m.register_full_backward_hook(lambda m, gin, gout: told.append((plain(gin), plain(gout), m.weight.grad)))
    with pytest.warns(UserWarning, match=WITHOUT):
        m(torch.ones(1)).backward()
    assert told == [([None], [[1.0]], None)] and m.weight.grad.item() == 1.0


@pytest.mark.filterwarnings(NO_INPUT_NEEDS_GRAD)
def test_without_an_input_that_needs_grad_a_full_hook_may_return_only_nothing():
    m = Times()
    handle = m.register_full_backward_hook(lambda m, gin, gout: (None,))
    m(torch.ones(1)).backward()
    handle.remove()
    m.register_full_backward_hook(lambda m, gin, gout: (torch.ones(1),))
    text = (
        "Backward hook for Modules where no input requires gradient should always return None or None for all "
        "gradients."
    )
    with raises(RuntimeError, text):
        m(torch.ones(1)).backward()


def test_a_full_hook_must_return_as_many_gradients_as_there_are_inputs():
    m = Times()
    m.register_full_backward_hook(lambda m, gin, gout: (gin[0], gin[0]))
    with raises(RuntimeError, "Backward hook returned an invalid number of grad_input, got 2, but expected 1"):
        m(one()).backward()


def test_without_grad_mode_no_full_hook_is_set_up():
    m, log = Times(), []
    m.register_full_backward_hook(lambda *given: log.append("fired"))
    with torch.no_grad():
        assert not m(one()).requires_grad
    assert log == []


def test_a_full_hook_fires_once_for_each_call_and_each_backward():
    m, log = Times(), []
    m.register_full_backward_hook(lambda *given: log.append("fired"))
    (m(one()) + m(one())).backward()
    assert log == ["fired"] * 2
    out = m(one())
    out.backward(retain_graph=True)
    out.backward()
    assert log == ["fired"] * 4


def test_under_a_full_hook_forward_gets_a_view_and_returns_one():
    m, x = Calls(lambda x: x), one()
    kept = []
    m.register_forward_pre_hook(lambda m, args: kept.append(args[0]))
    m.register_forward_hook(lambda m, args, out: kept.append(out))
    assert m(x) is x and kept[0] is kept[1] is x
    m.register_full_backward_hook(lambda *given: None)
    kept.clear()
    out = m(x)
    assert kept[0] is x, "pre-hooks come before the view is made"
    assert kept[1] is not x and kept[1].data_ptr() == x.data_ptr()
    assert out is not kept[1], "forward hooks come before the view of the output is made"
    assert out.grad_fn.name() == kept[1].grad_fn.name() == "BackwardHookFunctionBackward"
    assert m(x.detach()).grad_fn is None


def test_under_a_full_hook_an_output_or_input_cannot_be_changed_in_place():
    m = Times()
    m(one()).mul_(2)
    handle = m.register_full_backward_hook(lambda *given: None)
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        m(one()).mul_(2)
    handle.remove()
    m(one()).mul_(2)
    m = Calls(lambda x: x.mul_(2))
    m.register_full_backward_hook(lambda *given: None)
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        m(one() * 1)


def test_a_full_hook_sees_what_pre_hooks_and_forward_hooks_made_of_input_and_output():
    m, told, x = Times(3.0), [], one()
    m.register_forward_pre_hook(lambda m, args: (args[0] * 2,))
    m.register_forward_hook(lambda m, args, out: out * 5)
    m.register_full_backward_hook(lambda m, gin, gout: told.append((plain(gin), plain(gout))))
    m(x).backward()
    assert told == [([[15.0]], [[1.0]])] and x.grad.item() == 30.0


Point = namedtuple("Point", "a b")


def test_a_namedtuple_output_keeps_its_class_and_a_plain_tuple_its_length():
    m, told = Calls(lambda x: Point(x * 2, x * 3)), []
    m.register_full_backward_hook(lambda m, gin, gout: told.append(plain(gout)))
    out = m(one())
    assert type(out) is Point
    (out.a + out.b).backward()
    m = Calls(lambda x: (x * 2,))
    m.register_full_backward_hook(lambda m, gin, gout: told.append(plain(gout)))
    (out,) = m(one())
    out.backward()
    assert told == [[[1.0], [1.0]], [[1.0]]]


NO_OUTPUT = "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received {}"


@pytest.mark.parametrize("make", [lambda x: {"y": x * 2}, lambda x: [x * 2], lambda x: 5, lambda x: None])
def test_another_output_is_left_alone_with_a_warning_and_the_hook_does_not_fire(make):
    m, log, x = Calls(make), [], one()
    kind = type(make(x))
    m.register_full_backward_hook(lambda *given: log.append("fired"))
    with warns((UserWarning, NO_OUTPUT.format(kind))):
        out = m(x)
    assert type(out) is kind
    if kind in (dict, list):
        next(iter(out.values() if kind is dict else out)).backward()
        assert x.grad.item() == 2.0
    assert log == []


def test_a_tensor_output_or_a_tuple_is_not_warned_of():
    for make in (lambda x: x * 2, lambda x: (x * 2, 3), lambda x: Point(x, x)):
        m = Calls(make)
        m.register_full_backward_hook(lambda *given: None)
        m.register_full_backward_pre_hook(lambda *given: None)
        with warns():
            m(one())


def test_a_full_hook_for_no_input_at_all_fires_when_the_output_has_its_gradient():
    m, told = Times(), []
    m.forward = lambda: m.weight * 2
    m.register_full_backward_hook(lambda m, gin, gout: told.append((gin, plain(gout))))
    with pytest.warns(UserWarning, match=WITHOUT):
        m().backward()
    assert told == [((), [[1.0]])]


def test_the_gradient_penalty_of_a_second_backward_passes_by_the_hook():
    m, log, x = Calls(lambda x: x**3), [], one(2.0)
    m.register_full_backward_hook(lambda m, gin, gout: log.append(plain(gin)))
    (grad,) = torch.autograd.grad(m(x), x, create_graph=True)
    grad.backward()
    assert log == [[[12.0]]] and x.grad.item() == 12.0


# --- backward pre-hooks ------------------------------------------------------------------------------------------


def test_a_backward_pre_hook_may_replace_the_gradient_of_the_output():
    m, log, x = Times(2.0), [], one()
    m.register_full_backward_hook(lambda m, gin, gout: log.append(("full", plain(gout))))
    m.register_full_backward_pre_hook(lambda m, gout: log.append(("pre", plain(gout))) or (gout[0] * 10,))
    m.register_full_backward_pre_hook(lambda m, gout: log.append(("first", plain(gout))), prepend=True)
    names.register_module_full_backward_pre_hook(lambda m, gout: log.append(("global", plain(gout))))
    m(x).backward()
    assert log == [("global", [[1.0]]), ("first", [[1.0]]), ("pre", [[1.0]]), ("full", [[10.0]])]
    assert m.weight.grad.item() == 10.0 and x.grad.item() == 20.0


def test_a_backward_pre_hook_alone_is_enough_and_is_given_the_module():
    m, told = Times(), []
    handle = m.register_full_backward_pre_hook(lambda *given: told.append(given))
    assert list(m._backward_pre_hooks) == [handle.id] and m._is_full_backward_hook is None
    m(one()).backward()
    assert told[0][0] is m and plain(told[0][1]) == [[1.0]] and len(told) == 1
    handle.remove()
    m(one()).backward()
    assert len(told) == 1 and not m._backward_pre_hooks


def test_backward_pre_hooks_run_in_order():
    m, log = Times(), []
    m.register_full_backward_pre_hook(lambda *given: log.append(1))
    m.register_full_backward_pre_hook(lambda *given: log.append(2))
    m.register_full_backward_pre_hook(lambda *given: log.append(0), True)
    m(one()).backward()
    assert log == [0, 1, 2]


def test_a_backward_pre_hook_must_return_as_many_gradients_as_there_are_outputs():
    m = Times()
    m.register_full_backward_pre_hook(lambda m, gout: ())
    with raises(RuntimeError, "Backward pre hook returned an invalid number of grad_output, got 0, but expected 1"):
        m(one()).backward()


# --- legacy backward hooks ---------------------------------------------------------------------------------------

FUTURE = "is deprecated and will be removed in future versions. This hook will be missing some {}."
DOCUMENTED = " Please use register_full_backward_hook to get the documented behavior."
OUTPUT = "Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors "
INPUT = (
    "Using non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors "
    + FUTURE.format("of the grad_input")
    + DOCUMENTED
)
OUTPUT += FUTURE.format("of the grad_output") + DOCUMENTED
NESTED = "Using a non-full backward hook when outputs are nested in python data structure "
NESTED += FUTURE.format("grad_output")
DIFFERENT = (
    "Using a non-full backward hook when outputs are generated by different autograd Nodes "
    + FUTURE.format("grad_output")
    + DOCUMENTED
)
SEVERAL = (
    "Using a non-full backward hook when the forward contains multiple autograd Nodes "
    + FUTURE.format("grad_input")
    + DOCUMENTED
)


def test_a_legacy_hook_is_given_the_gradients_of_the_last_node():
    m, told, x = Calls(lambda x: (x * 2).square()), [], one()
    handle = m.register_backward_hook(lambda m, gin, gout: told.append((m, plain(gin), plain(gout))))
    assert list(m._backward_hooks) == [handle.id] and m._is_full_backward_hook is False
    with pytest.warns(FutureWarning, match="multiple autograd Nodes"):
        m(x).backward()
    ((module, gin, gout),) = told
    assert module is m and gout == [[1.0]] and gin == [[4.0]] and x.grad.item() == 8.0
    handle.remove()
    m(x).backward()
    assert len(told) == 1


@pytest.mark.filterwarnings("ignore:Using")
def test_a_legacy_hook_may_replace_the_gradient_of_the_last_node():
    m, x = Calls(torch.exp), one(0.0)
    m.register_backward_hook(lambda m, gin, gout: (gin[0] * 7,))
    m(x * 1).backward()
    assert x.grad.item() == 7.0


@pytest.mark.filterwarnings("ignore:Using")
def test_legacy_hooks_run_in_order_with_global_ones_first_and_after_full_ones_of_the_other_kind():
    m, log = Calls(torch.exp), []
    m.register_backward_hook(lambda *given: log.append("first"))
    m.register_backward_hook(lambda *given: log.append("second"))
    names.register_module_backward_hook(lambda *given: log.append("global"))
    m(one()).backward()
    assert log == ["global", "first", "second"]


@pytest.mark.filterwarnings("ignore:Using")
@pytest.mark.parametrize("own", ["full", "legacy"])
def test_global_and_own_hooks_may_be_of_different_kinds(own):
    m, log = Calls(torch.exp), []
    (m.register_full_backward_hook if own == "full" else m.register_backward_hook)(lambda *given: log.append("own"))
    other = names.register_module_backward_hook if own == "full" else names.register_module_full_backward_hook
    other(lambda *given: log.append("global"))
    x = one()
    m(x).backward()
    assert sorted(log) == ["global", "own"]
    assert m._get_backward_hooks() == tuple(
        list(table.values())
        for table in ((m._backward_hooks, names._global_backward_hooks)[:: 1 if own == "full" else -1])
    )


BOTH = "Cannot use both regular backward hooks and full backward hooks {}. Please use only one of them."


def test_one_module_takes_one_kind_of_backward_hook():
    text = BOTH.format("on a single Module")
    m = Times()
    handle = m.register_full_backward_hook(print)
    handle.remove()
    with raises(RuntimeError, text):
        m.register_backward_hook(print)
    assert m._is_full_backward_hook is True and not m._backward_hooks
    m = Times()
    m.register_backward_hook(print)
    m.register_backward_hook(print)
    with raises(RuntimeError, text):
        m.register_full_backward_hook(print)
    assert m._is_full_backward_hook is False and len(m._backward_hooks) == 2
    m.register_full_backward_pre_hook(print)


def test_the_global_hooks_are_of_one_kind():
    text = BOTH.format("as a global Module hook")
    names.register_module_full_backward_hook(print)
    names.register_module_full_backward_hook(print)
    assert names._global_is_full_backward_hook is True
    with raises(RuntimeError, text):
        names.register_module_backward_hook(print)
    assert len(names._global_backward_hooks) == 2
    names._global_backward_hooks.clear()
    names._global_is_full_backward_hook = None
    names.register_module_backward_hook(print)
    names.register_module_backward_hook(print)
    assert names._global_is_full_backward_hook is False
    with raises(RuntimeError, text):
        names.register_module_full_backward_hook(print)
    assert len(names._global_backward_hooks) == 2


def test_a_global_full_hook_fires_for_every_module():
    log = []
    with names.register_module_full_backward_hook(lambda m, gin, gout: log.append((type(m).__name__, plain(gin)))):
        nn.Sequential(Times(2.0), Times(3.0))(one()).backward()
    assert log == [("Times", [[3.0]]), ("Times", [[6.0]]), ("Sequential", [[6.0]])]


@pytest.mark.parametrize(
    ("forward", "args", "expected"),
    [
        (lambda x: x.exp(), ("leaf",), [SEVERAL]),  # a leaf has no node, its accumulator looks like one too many
        (lambda x: x.exp(), ("computed",), []),
        (lambda x, y: x * y, ("computed", "computed"), []),
        (lambda x: x.unbind(), ("computed",), []),
        (lambda x: (x * 2).exp(), ("computed",), [SEVERAL]),
        (lambda x: (x * 2, x * 3), ("computed",), [DIFFERENT]),
        (lambda x: [x * 2], ("computed",), [OUTPUT]),
        (lambda x: {"n": 1, "y": x * 2}, ("computed",), [OUTPUT]),
        (lambda x: ((x * 2,),), ("computed",), [OUTPUT]),
        (lambda x: (x * 2, 5), ("computed",), [OUTPUT]),
        (lambda x, k: x * k, ("computed", 2), [INPUT]),
        (lambda x: x[0] * 2, (["computed"],), [INPUT]),
        (lambda x, k: (x * k, 5), ("computed", 2), [OUTPUT]),
    ],
)
def test_where_a_legacy_hook_misses_a_gradient_it_is_warned_of_once(forward, args, expected):
    def make(what):
        if isinstance(what, list):
            return [make(part) for part in what]
        leaf = torch.ones(2, requires_grad=True)
        return {"leaf": leaf, "computed": leaf * 1}.get(what, what)

    m = Calls(forward)
    given = tuple(make(what) for what in args)
    m.register_backward_hook(lambda *given: None)
    with warns(*[(FutureWarning, text) for text in expected]):
        m(*given)


def test_the_warning_helper_tells_the_cases_apart():
    m, x = nn.Module(), torch.ones(2, requires_grad=True) * 1
    y, z = x.exp(), x.sin()
    cases = [
        ((x,), y, y.grad_fn, []),
        (x, y, y.grad_fn, []),
        (x, (y,), y.grad_fn, []),
        ((x,), (y, x.detach()), y.grad_fn, []),
        ((x.detach(), x), y, y.grad_fn, []),
        ([x], y, y.grad_fn, [INPUT]),
        ((x, 1), y, y.grad_fn, [INPUT]),
        ((x,), [y], y.grad_fn, [OUTPUT]),
        ((x,), (y, 1), y.grad_fn, [OUTPUT]),
        ((x,), y, z.grad_fn, [NESTED]),
        ((x,), (y, z), y.grad_fn, [DIFFERENT]),
        ((x,), x.detach(), y.grad_fn, [NESTED]),
        ((x,), (), y.grad_fn, [NESTED]),
        ((z,), y, y.grad_fn, [SEVERAL]),
        ((x.detach(),), y, y.grad_fn, [SEVERAL]),
        ((x, z), y, y.grad_fn, [SEVERAL]),
    ]
    for inputs, result, grad_fn, expected in cases:
        with warns(*[(FutureWarning, text) for text in expected]) as seen:
            assert m._maybe_warn_non_full_backward_hook(inputs, result, grad_fn) is None
        assert all(warning.filename == __file__ for warning in seen)


@pytest.mark.filterwarnings("ignore:Using")
def test_a_legacy_hook_finds_the_first_tensor_in_nested_outputs():
    for make in (lambda y: [[y]], lambda y: {"n": 1, "y": y}, lambda y: ({"y": y, "z": None},), lambda y: {"y": y}):
        m, log = Calls(lambda x, make=make: make(x.exp())), []
        m.register_backward_hook(lambda m, gin, gout, log=log: log.append(plain(gout)))
        out = m(one())
        while not isinstance(out, torch.Tensor):
            out = next(v for v in out.values() if isinstance(v, torch.Tensor)) if isinstance(out, dict) else out[0]
        out.backward()
        assert log == [[[1.0]]]


def test_a_legacy_hook_is_not_set_where_no_gradient_flows():
    m, log = Calls(torch.exp), []
    m.register_backward_hook(lambda *given: log.append("fired"))
    with warns():
        assert m(torch.ones(1)).grad_fn is None
        with torch.no_grad():
            m(one())
    assert log == []


def test_a_legacy_hook_holds_its_module_weakly():
    m = Calls(torch.exp)
    m.register_backward_hook(lambda *given: None)
    with pytest.warns(FutureWarning):
        out = m(one())
    del m
    with pytest.raises(RuntimeError, match="You are trying to call the hook of a dead Module!"):
        out.backward()


def test_the_lists_of_hooks_are_copies_in_order():
    m = Times()
    assert m._get_backward_hooks() == ([], []) and m._get_backward_pre_hooks() == []
    first, second, third = object(), object(), object()
    m.register_full_backward_hook(first)
    m.register_full_backward_pre_hook(first)
    names.register_module_full_backward_hook(second)
    names.register_module_full_backward_pre_hook(second)
    m.register_full_backward_hook(third)
    assert m._get_backward_hooks() == ([second, first, third], []) and m._get_backward_pre_hooks() == [second, first]
    m = Times()
    m.register_backward_hook(first)
    assert m._get_backward_hooks() == ([second], [first])
    names._global_is_full_backward_hook = False
    assert m._get_backward_hooks() == ([], [second, first])
    full, legacy = m._get_backward_hooks()
    assert full is not legacy and legacy is not m._backward_hooks


# --- what one does with them -------------------------------------------------------------------------------------


def test_gradients_are_clipped_between_two_layers():
    net, x = nn.Sequential(Times(100.0), Times(100.0)), one()
    net[1].register_full_backward_hook(lambda m, gin, gout: (gin[0].clamp(max=1.0),))
    net(x).backward()
    assert net[0].weight.grad.item() == 1.0 and x.grad.item() == 100.0
