"""model(x): what stands between the call and forward, under hooks, tracing, scripting and compile."""

import pytest
import torch
from exactly import raises
from torch import nn
from torch.nn.modules import module as names

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")


class Keywords(nn.Module):
    """Return everything it was called with."""

    def forward(self, *args, **kwargs):
        return args, kwargs


class Net(nn.Module):
    """Run a layer of its own and one in a container."""

    def __init__(self):
        super().__init__()
        self.fc, self.act = nn.Linear(2, 2), nn.Sequential(nn.ReLU())

    def forward(self, x):
        return self.act(self.fc(x)) + 1


def test_a_call_hands_the_same_objects_to_forward_and_back():
    x, y = object(), object()
    (args, kwargs) = Keywords()(x, 2, key=y)
    assert args[0] is x and args[1] == 2 and kwargs["key"] is y and len(args) == 2


def test_a_call_with_hooks_hands_on_everything_too():
    m = Keywords()
    m.register_forward_hook(lambda m, args, out: None)
    x, y = object(), object()
    (args, kwargs) = m(x, 2, key=y)
    assert args[0] is x and args[1] == 2 and kwargs["key"] is y


def test_keywords_may_have_any_name():
    m = Keywords()
    assert m(input=1, hook=2, result=3)[1] == {"input": 1, "hook": 2, "result": 3}
    m.register_forward_hook(lambda m, args, out: None)
    assert m(input=1, hook=2, result=3)[1] == {"input": 1, "hook": 2, "result": 3}


def test_an_error_of_forward_comes_out_as_it_is():
    class Bad(nn.Module):
        def forward(self):
            raise LookupError("own")

    for hook in (False, True):
        m = Bad()
        if hook:
            m.register_forward_hook(print)
        with raises(LookupError, "own") as caught:
            m()
        assert caught.value.__context__ is None


def test_forward_of_the_instance_is_called_and_a_call_of_the_instance_is_not():
    m, seen = Keywords(), []
    m.register_forward_hook(lambda m, args, out: seen.append(out))
    m.forward = lambda x: x + 100
    m.__call__ = lambda x: "the instance"
    assert m(1) == 101
    del m.forward
    assert m(1) == ((1,), {}) and seen == [101, ((1,), {})]


def test_the_names_of_the_call_are_those_that_torch_replaces():
    assert nn.Module.__call__ is nn.Module._wrapped_call_impl
    assert callable(nn.Module._call_impl) and callable(nn.Module._slow_forward)


def test_a_call_goes_through_call_impl_of_the_subclass():
    class Own(Keywords):
        def _call_impl(self, *args, **kwargs):
            return "own", super()._call_impl(*args, **kwargs)

    assert Own()(1, a=2) == ("own", ((1,), {"a": 2}))


def test_a_call_goes_through_call_impl_of_the_instance():
    m = Keywords()
    m._call_impl = lambda *args, **kwargs: ("instance", args, kwargs)
    assert m(1, a=2) == ("instance", (1,), {"a": 2})
    m.register_forward_hook(lambda m, args, out: "hooked")
    assert m(1) == ("instance", (1,), {})


def test_a_call_goes_through_a_call_impl_put_into_the_base_class(monkeypatch):
    inner = nn.Module._call_impl
    monkeypatch.setattr(
        nn.Module, "_call_impl", lambda self, *args, **kwargs: ("patched", inner(self, *args, **kwargs))
    )
    assert Keywords()(1, a=2) == ("patched", ((1,), {"a": 2}))


def test_a_compiled_call_is_preferred_as_soon_as_there_is_one():
    m = Keywords()
    m._compiled_call_impl = lambda *args, **kwargs: ("compiled", args, kwargs)
    assert m(1, a=2) == ("compiled", (1,), {"a": 2})
    assert m._wrapped_call_impl(1) == ("compiled", (1,), {})
    assert m._call_impl(1) == ((1,), {})
    m._compiled_call_impl = None
    assert m(1) == ((1,), {})


# --- compile -----------------------------------------------------------------------------------------------------


def test_compile_wraps_the_call_with_the_given_options(monkeypatch):
    told = []

    def compile_(*args, **kwargs):
        told.append((args, kwargs))
        return lambda x: ("compiled", args[0](x))

    monkeypatch.setattr(torch, "compile", compile_)
    m = Keywords()
    assert m.compile("mode", fullgraph=True) is None
    assert told == [((m._call_impl, "mode"), {"fullgraph": True})]
    assert m(1) == ("compiled", ((1,), {}))
    assert "_compiled_call_impl" in vars(m) and nn.Module._compiled_call_impl is None


def test_a_compiled_module_gives_the_same_numbers_and_still_calls_its_hooks():
    m, seen = Net(), []
    x = torch.randn(3, 2)
    expected = m(x)
    m.register_forward_hook(lambda m, args, out: seen.append(out.shape))
    m.compile(backend="eager", fullgraph=False)
    out = m(x)
    assert torch.equal(out, expected) and seen == [(3, 2)]
    out.sum().backward()
    assert m.fc.weight.grad is not None


def test_while_compiling_errors_leave_always_called_hooks_alone(monkeypatch):
    class Bad(nn.Module):
        def forward(self):
            raise LookupError("own")

    m, log = Bad(), []
    m.register_forward_hook(lambda m, args, out: log.append("ran"), always_call=True)
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    with raises(LookupError, "own"):
        m()
    assert log == []
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: False)
    with raises(LookupError, "own"):
        m()
    assert log == ["ran"]


def test_while_compiling_hooks_run_as_otherwise(monkeypatch):
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    m = Keywords()
    m.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
    m.register_forward_hook(lambda m, args, out: out[0])
    assert m(1) == (2,)


# --- tracing and scripting ---------------------------------------------------------------------------------------


def scopes(traced):
    return [(node.kind(), node.scopeName()) for node in traced.inlined_graph.nodes() if node.kind().startswith("aten")]


def test_a_trace_names_the_module_that_each_operation_comes_from():
    m, x = Net(), torch.randn(3, 2)
    traced = torch.jit.trace(m, x)
    assert scopes(traced) == [
        ("aten::linear", "__module.fc"),
        ("aten::relu", "__module.act/__module.act.0"),
        ("aten::add", ""),
    ]
    assert torch.equal(traced(x), m(x))
    assert [name for name, _ in traced.named_parameters()] == ["fc.weight", "fc.bias"]


def test_a_trace_includes_what_hooks_do():
    m, x = Net(), torch.randn(3, 2)
    m.fc.register_forward_hook(lambda m, args, out: out * 3)
    traced = torch.jit.trace(m, x)
    assert scopes(traced) == [
        ("aten::linear", "__module.fc"),
        ("aten::mul", ""),
        ("aten::relu", "__module.act/__module.act.0"),
        ("aten::add", ""),
    ]
    assert torch.equal(traced(x), m(x))


class State:
    """Stand in for the tracer, and write down the scopes."""

    def __init__(self):
        self.log = []

    def push_scope(self, name):
        self.log.append(name)

    def pop_scope(self):
        self.log.append("pop")


@pytest.fixture
def tracing(monkeypatch):
    state = State()
    monkeypatch.setattr(torch._C, "_get_tracing_state", lambda: state)
    return state


def test_while_tracing_forward_runs_in_the_scope_that_the_trace_has_for_it(tracing, monkeypatch):
    m, other = Keywords(), Keywords()
    monkeypatch.setattr(torch.jit._trace, "_trace_module_map", {m: "known"})
    m.forward = lambda *args, **kwargs: tracing.log.append("forward") or (args, kwargs)
    assert m(1, a=2) == ((1,), {"a": 2})
    assert tracing.log == ["known", "forward", "pop"]
    assert other(1, a=2) == ((1,), {"a": 2})
    assert tracing.log == ["known", "forward", "pop"]


def test_while_tracing_without_a_map_no_scope_is_opened(tracing, monkeypatch):
    monkeypatch.setattr(torch.jit._trace, "_trace_module_map", None)
    assert Keywords()(1) == ((1,), {}) and tracing.log == []


def test_while_tracing_the_scope_is_closed_after_an_error(tracing, monkeypatch):
    def fail():
        raise LookupError("own")

    m = nn.Module()
    m.forward = fail
    monkeypatch.setattr(torch.jit._trace, "_trace_module_map", {m: "known"})
    with raises(LookupError, "own"):
        m()
    assert tracing.log == ["known", "pop"]
    monkeypatch.setattr(torch.jit._trace, "_trace_module_map", {})
    with raises(LookupError, "own"):
        m()
    assert tracing.log == ["known", "pop"]


def test_while_tracing_hooks_run_outside_the_scope(tracing, monkeypatch):
    m = Keywords()
    monkeypatch.setattr(torch.jit._trace, "_trace_module_map", {m: "known"})
    m.register_forward_pre_hook(lambda m, args: tracing.log.append("pre"))
    m.register_forward_hook(lambda m, args, out: tracing.log.append("hook"))
    m(1)
    assert tracing.log == ["pre", "known", "pop", "hook"]


def test_without_tracing_slow_forward_is_forward(monkeypatch):
    assert Keywords()._slow_forward(1, a=2) == ((1,), {"a": 2})
    monkeypatch.setattr(nn.Module, "_slow_forward", lambda self, *args: "slow")
    assert Keywords()(1) == ((1,), {})
    monkeypatch.setattr(torch._C, "_get_tracing_state", lambda: object())
    assert Keywords()(1) == "slow"


def test_while_tracing_a_script_method_opens_no_scope(tracing, monkeypatch):
    class Script:
        def __call__(self, x):
            return x + 1

    monkeypatch.setattr(torch._C, "ScriptMethod", Script)
    m = nn.Module()
    m.forward = Script()
    monkeypatch.setattr(torch.jit._trace, "_trace_module_map", {m: "known"})
    assert m(1) == 2 and tracing.log == []


def test_a_trace_calls_into_a_scripted_child():
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.jit.script(nn.Linear(2, 2))

        def forward(self, x):
            return self.fc(x) + 1

    m, x = Outer(), torch.randn(3, 2)
    traced = torch.jit.trace(m, x)
    assert "prim::CallMethod" in [node.kind() for node in traced.graph.nodes()]
    assert torch.allclose(traced(x), m(x))


class Scripted(nn.Module):
    """Use an attribute, a buffer, a flag and a child from TorchScript."""

    def __init__(self):
        super().__init__()
        self.scale = 3
        self.register_buffer("shift", torch.ones(1))
        self.fc = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.training:
            return self.fc(x) * self.scale
        return self.fc(x) + self.shift


def test_a_scripted_module_gives_the_same_numbers_in_both_modes_and_saves_the_same_names():
    m, x = Scripted(), torch.randn(3, 2)
    scripted = torch.jit.script(m)
    assert torch.allclose(scripted(x), m(x))
    scripted.eval()
    m.eval()
    assert torch.allclose(scripted(x), m(x)) and not scripted.fc.training
    assert list(scripted.state_dict()) == list(m.state_dict()) == ["shift", "fc.weight", "fc.bias"]
    scripted.load_state_dict({name: torch.zeros_like(value) for name, value in m.state_dict().items()})
    assert not scripted(x).any()
    assert [name for name, _ in scripted.named_modules()] == ["", "fc"]


def test_a_scripted_module_refuses_what_it_cannot_do_by_name():
    scripted = torch.jit.script(nn.Linear(2, 2))
    for name in ("register_forward_hook", "register_full_backward_hook", "compile"):
        with raises(RuntimeError, f"{name} is not supported on ScriptModules"):
            getattr(scripted, name)(print)


# --- functional_call ---------------------------------------------------------------------------------------------


class Tied(nn.Module):
    """Use one Parameter under two names."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.tensor([2.0]))
        self.b = self.a
        self.register_buffer("k", torch.tensor([1.0]))

    def forward(self, x):
        return x * self.a + self.b * self.k


def test_functional_call_puts_values_in_for_one_call_and_the_old_ones_back():
    m, a, x = Tied(), None, torch.tensor([1.0])
    a = m.a
    call, five, seven = torch.func.functional_call, torch.tensor([5.0]), torch.tensor([7.0])
    assert call(m, {"a": five}, (x,)).item() == 10.0
    assert call(m, {"a": five, "b": seven}, (x,), tie_weights=False).item() == 12.0
    assert call(m, {"k": torch.zeros(1)}, (x,)).item() == 2.0
    with pytest.raises(ValueError, match="multiple values for keys"):
        call(m, {"a": five, "b": seven}, (x,))
    assert m.a is a is m.b and a.item() == 2.0 and type(m.a) is nn.Parameter


def test_functional_call_runs_hooks():
    m, seen = Tied(), []
    m.register_forward_hook(lambda m, args, out: seen.append(out.item()))
    names.register_module_forward_pre_hook(lambda m, args: seen.append(args[0].item()))
    torch.func.functional_call(m, {"a": torch.tensor([5.0])}, (torch.tensor([1.0]),))
    assert seen == [1.0, 10.0]
