"""What rewrites, copies or wraps Modules: tracing, scripting, func, parametrizations, pruning, fusion, quantization."""

import copy
import io

import pytest
import torch
from torch import fx, nn
from torch.func import functional_call, grad, stack_module_state, vmap
from torch.nn.utils import fusion, parametrizations, parametrize, prune, stateless
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")


class Net(nn.Module):
    """Run a layer of its own, and a container with a norm."""

    def __init__(self, width=4):
        super().__init__()
        self.fc = nn.Linear(3, width)
        self.tail = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(width), nn.Linear(width, 2))

    def forward(self, x):
        return self.tail(self.fc(x)) + 1


def filled(model):
    """Give every Parameter and floating buffer the same known values, so that results can be written down."""
    with torch.no_grad():
        for value in [*model.parameters(), *model.buffers()]:
            if value.is_floating_point():
                value.copy_((torch.arange(value.numel(), dtype=value.dtype).reshape(value.shape) % 5 + 1) / 4)
    return model


X = torch.tensor([[1.0, 2.0, 3.0], [0.0, -1.0, 2.0]])
OUT = [[11.56264, 10.60379], [4.63511, 4.70286]]


def test_the_model_of_this_file_gives_these_numbers():
    torch.testing.assert_close(filled(Net()).eval()(X), torch.tensor(OUT), atol=1e-4, rtol=0)


# --- trace and script ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [lambda m: torch.jit.trace(m, X), torch.jit.script], ids=["trace", "script"])
def test_a_model_for_torchscript_is_saved_loaded_and_frozen_with_the_same_numbers(how):
    model = filled(Net()).eval()
    scripted = how(model)
    file = io.BytesIO()
    torch.jit.save(scripted, file)
    file.seek(0)
    loaded = torch.jit.load(file)
    frozen = torch.jit.freeze(torch.jit.load(io.BytesIO(file.getvalue())).eval())
    for one in (scripted, loaded, frozen, copy.deepcopy(scripted)):
        torch.testing.assert_close(one(X), model(X))
    assert isinstance(loaded, nn.Module) and list(loaded.state_dict()) == list(model.state_dict())
    assert [name for name, _ in loaded.named_modules()] == [name for name, _ in model.named_modules()]
    assert loaded.fc.weight.shape == (4, 3) and loaded.tail.training is False
    loaded.load_state_dict({name: torch.zeros_like(value) for name, value in model.state_dict().items()})
    assert loaded(X).tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_a_scripted_model_moves_and_trains():
    model, scripted = filled(Net()), torch.jit.script(filled(Net()))
    for one in (model, scripted):
        one.double().train()
        optimizer = torch.optim.SGD(one.parameters(), lr=0.1)
        one(X.double()).square().sum().backward()
        optimizer.step()
    for (name, value), other in zip(model.state_dict().items(), scripted.state_dict().values(), strict=True):
        torch.testing.assert_close(other, value, msg=name)


def test_a_script_reads_constants_and_annotations_and_exported_methods():
    class Typed(nn.Module):
        __constants__ = ["twice"]  # noqa: RUF012 - as TorchScript wants it
        names: list[str]
        limit: int | None

        def __init__(self):
            super().__init__()
            self.twice = 2
            self.names = []
            self.limit = None
            self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
            self.named = nn.ModuleDict({"relu": nn.ReLU()})

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for layer in self.layers:
                x = layer(x)
            for module in self.named.values():
                x = module(x)
            return x * self.twice if self.limit is None else x

        @torch.jit.export
        def count(self) -> int:
            return len(self.names)

        @torch.jit.ignore
        def remark(self) -> str:
            return "from Python"

        @torch.jit.unused
        def never(self) -> str:
            return "unused"

    model = filled(Typed())
    scripted = torch.jit.script(model)
    torch.testing.assert_close(scripted(X), model(X))
    assert scripted.count() == 0 and scripted.remark() == "from Python"


def test_a_scripted_model_calls_its_hooks_as_code():
    class Hooked(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * 2

    def before(self, input: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
        return (input[0] + 1,)

    def after(self, input: tuple[torch.Tensor], output: torch.Tensor) -> torch.Tensor:
        return output + 0.5

    model = Hooked()
    model.register_forward_pre_hook(before)
    model.register_forward_hook(after)
    assert torch.jit.script(model)(torch.ones(1)).item() == model(torch.ones(1)).item() == 4.5


def test_a_script_module_may_be_written_by_hand():
    class Written(torch.jit.ScriptModule):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3))
            self.fc = nn.Linear(3, 3)

        @torch.jit.script_method
        def forward(self, x):
            return self.fc(x) * self.weight

    model = Written()
    assert model(X).shape == (2, 3)
    assert [name for name, _ in model.named_parameters()] == ["weight", "fc.weight", "fc.bias"]


# --- fx -----------------------------------------------------------------------------------------------------------


def test_a_symbolic_trace_has_a_node_for_each_leaf_and_the_same_numbers():
    model = filled(Net()).eval()
    graph = fx.symbolic_trace(model)
    assert [(node.op, str(node.target)) for node in graph.graph.nodes] == [
        ("placeholder", "x"),
        ("call_module", "fc"),
        ("call_module", "tail.0"),
        ("call_module", "tail.1"),
        ("call_module", "tail.2"),
        ("call_function", "<built-in function add>"),
        ("output", "output"),
    ]
    torch.testing.assert_close(graph(X), model(X))
    assert graph.fc is model.fc and list(graph.state_dict()) == list(model.state_dict())
    again = copy.deepcopy(graph)
    torch.testing.assert_close(again(X), model(X))
    assert again.fc is not graph.fc and type(again).__mro__[1:3] == type(graph).__mro__[1:3]


def test_a_trace_with_own_leaves_goes_into_the_layers():
    class Deep(fx.Tracer):
        def is_leaf_module(self, module, name):
            return isinstance(module, nn.ReLU)

    model = filled(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)))
    graph = Deep().trace(model)
    assert [str(node.target) for node in graph.nodes if node.op in ("get_attr", "call_module")] == [
        "0.weight",
        "0.bias",
        "1",
        "2.weight",
        "2.bias",
    ]
    torch.testing.assert_close(fx.GraphModule(model, graph)(X), model(X))


def test_a_traced_graph_is_changed_and_compiled_again():
    graph = fx.symbolic_trace(filled(Net()).eval())
    before = graph(X)
    for node in graph.graph.nodes:
        if node.op == "call_function":
            node.args = (node.args[0], 2)
    graph.recompile()
    torch.testing.assert_close(graph(X), before + 1)
    graph.add_submodule("tail.extra", nn.Linear(2, 2))
    assert graph.delete_submodule("tail.extra") and "tail.extra" not in dict(graph.named_modules())
    state = io.BytesIO()
    torch.save(graph, state)
    state.seek(0)
    torch.testing.assert_close(torch.load(state, weights_only=False)(X), before + 1)


def test_an_interpreter_runs_a_traced_graph_and_shapes_are_noted():
    from torch.fx.passes.shape_prop import ShapeProp

    model = filled(Net()).eval()
    graph = fx.symbolic_trace(model)
    torch.testing.assert_close(fx.Interpreter(graph).run(X), model(X))
    ShapeProp(graph).propagate(X)
    assert {node.name: tuple(node.meta["tensor_meta"].shape) for node in graph.graph.nodes}["fc"] == (2, 4)


def test_make_fx_traces_a_functional_call_down_to_operators():
    from torch.fx.experimental.proxy_tensor import make_fx

    model = filled(Net()).eval()
    values = dict(model.named_parameters()) | dict(model.named_buffers())
    graph = make_fx(lambda values, x: functional_call(model, values, (x,)))(values, X)
    torch.testing.assert_close(graph(values, X), model(X))
    assert sum(node.op == "get_attr" for node in graph.graph.nodes) == 0


# --- func ---------------------------------------------------------------------------------------------------------


def test_vmap_over_stacked_models_runs_each_with_its_own_parameters():
    models = [Net().eval() for _ in range(3)]
    parameters, buffers = stack_module_state(models)
    assert parameters["fc.weight"].shape == (3, 4, 3) and buffers["tail.1.running_mean"].shape == (3, 4)
    base = copy.deepcopy(models[0]).to("meta")

    def call(parameters, buffers, x):
        return functional_call(base, (parameters, buffers), (x,))

    out = vmap(call, in_dims=(0, 0, None))(parameters, buffers, X)
    torch.testing.assert_close(out, torch.stack([model(X) for model in models]))
    assert base.fc.weight.is_meta


def test_gradients_per_sample_are_those_of_single_calls():
    model = Net().eval()
    values = {name: value.detach() for name, value in model.named_parameters()}

    def loss(values, x):
        return functional_call(model, values, (x[None],)).square().sum()

    per_sample = vmap(grad(loss), in_dims=(None, 0))(values, X)
    for place, x in enumerate(X):
        model.zero_grad()
        model(x[None]).square().sum().backward()
        for name, value in model.named_parameters():
            torch.testing.assert_close(per_sample[name][place], value.grad)


def test_a_jacobian_with_respect_to_a_parameter_is_known():
    model = filled(nn.Linear(3, 1))
    jacobian = torch.func.jacrev(lambda weight: functional_call(model, {"weight": weight}, (X,)))(model.weight)
    assert jacobian.squeeze().tolist() == X.tolist()


def test_batch_norm_is_vmapped_once_its_statistics_are_taken_out():
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    torch.func.replace_all_batch_norm_modules_(model)
    assert model[1].running_mean is None and [name for name, _ in model.named_buffers()] == []
    assert vmap(model, randomness="different")(torch.randn(5, 2, 3)).shape == (5, 2, 4)


def test_the_older_stateless_call_is_the_same():
    model = filled(Net()).eval()
    values = {"fc.weight": torch.zeros(4, 3)}
    with pytest.warns(FutureWarning, match="functional_call"):
        out = stateless.functional_call(model, values, (X,))
    torch.testing.assert_close(out, functional_call(model, values, (X,)))
    with stateless._reparametrize_module(model, values):
        torch.testing.assert_close(model(X), out)
    assert model.fc.weight.any()
    with pytest.raises(RuntimeError, match="Missing key"), stateless._reparametrize_module(model, values, strict=True):
        pass


def test_make_functional_takes_the_parameters_out_of_a_copy():
    from torch._functorch.make_functional import make_functional_with_buffers

    model = filled(Net()).eval()
    call, parameters, buffers = make_functional_with_buffers(model)
    torch.testing.assert_close(call(parameters, buffers, X), model(X))
    assert len(parameters) == 6 and len(buffers) == 3


# --- parametrizations ---------------------------------------------------------------------------------------------


class Doubled(nn.Module):
    """Double, and halve on the way back."""

    def forward(self, x):
        return x * 2

    def right_inverse(self, x):
        return x / 2


def test_a_parametrization_computes_the_weight_and_can_be_taken_off_again():
    layer = filled(nn.Linear(3, 2))
    weight, value, kind = layer.weight, layer.weight.tolist(), type(layer)
    before = layer(X)
    parametrize.register_parametrization(layer, "weight", Doubled())
    assert type(layer).__name__ == "ParametrizedLinear" and isinstance(layer, nn.Linear)
    assert [name for name, _ in layer.named_parameters()] == ["bias", "parametrizations.weight.original"]
    assert "weight" not in layer._parameters
    assert layer.parametrizations.weight.original is weight and (weight * 2).tolist() == value
    torch.testing.assert_close(layer(X), before)
    layer.weight = torch.ones(2, 3)
    assert layer.parametrizations.weight.original.tolist() == [[0.5] * 3] * 2
    with parametrize.cached():
        assert layer.weight is layer.weight
    assert layer.weight is not layer.weight
    other = copy.deepcopy(layer)
    torch.testing.assert_close(other(X), layer(X))
    parametrize.remove_parametrizations(layer, "weight")
    assert type(layer) is kind and list(layer._parameters) == ["bias", "weight"]
    assert layer.weight.tolist() == [[1] * 3] * 2


def test_two_parametrizations_are_run_in_order_and_saved_as_one_original():
    layer = filled(nn.Linear(3, 2))
    parametrize.register_parametrization(layer, "weight", Doubled())
    parametrize.register_parametrization(layer, "weight", nn.Softmax(dim=1), unsafe=True)
    assert layer.weight.sum(dim=1).tolist() == pytest.approx([1.0, 1.0])
    assert list(layer.state_dict()) == ["bias", "parametrizations.weight.original"]
    with pytest.raises(RuntimeError, match="Softmax does not implement right_inverse"):
        layer.weight = torch.ones(2, 3)


def test_a_parametrization_of_a_buffer_stays_a_buffer():
    model = nn.Module()
    model.register_buffer("table", torch.ones(2))
    parametrize.register_parametrization(model, "table", Doubled())
    assert [name for name, _ in model.named_buffers()] == ["parametrizations.table.original"]
    assert model.table.tolist() == [1.0, 1.0] and not list(model.parameters())


def test_a_parametrized_model_is_not_pickled_but_its_state_is():
    layer = nn.Linear(3, 2)
    parametrize.register_parametrization(layer, "weight", Doubled())
    with pytest.raises(RuntimeError, match="parametrized"):
        torch.save(layer, io.BytesIO())
    other = nn.Linear(3, 2)
    parametrize.register_parametrization(other, "weight", Doubled())
    other.load_state_dict(layer.state_dict())
    torch.testing.assert_close(other.weight, layer.weight)


def test_weight_norm_splits_a_weight_into_length_and_direction_in_both_forms():
    layer = filled(nn.Linear(3, 2))
    before = layer(X)
    old, new = nn.utils.weight_norm(copy.deepcopy(layer)), parametrizations.weight_norm(copy.deepcopy(layer))
    for one in (old, new):
        torch.testing.assert_close(one(X), before)
    assert [name for name, _ in old.named_parameters()] == ["bias", "weight_g", "weight_v"]
    assert "weight" in vars(old) and len(old._forward_pre_hooks) == 1
    assert [name for name, _ in new.named_parameters()][1:] == [
        "parametrizations.weight.original0",
        "parametrizations.weight.original1",
    ]
    new.load_state_dict(old.state_dict())
    torch.testing.assert_close(copy.deepcopy(new)(X), before)
    nn.utils.remove_weight_norm(old)
    assert list(old._parameters) == ["bias", "weight"] and not old._forward_pre_hooks
    torch.testing.assert_close(old(X), before)


def test_spectral_norm_bounds_the_weight_in_both_forms():
    layer = filled(nn.Linear(3, 3, bias=False))
    torch.manual_seed(3)
    old = nn.utils.spectral_norm(copy.deepcopy(layer), n_power_iterations=20)
    new = parametrizations.spectral_norm(copy.deepcopy(layer), n_power_iterations=20)
    old(X)
    for one in (old, new):
        assert torch.linalg.matrix_norm(one.weight, 2).item() == pytest.approx(1.0, abs=1e-4)
    assert list(old.state_dict()) == ["weight_orig", "weight_u", "weight_v"]
    assert [name for name, _ in old.named_buffers()] == ["weight_u", "weight_v"]
    assert len(old._load_state_dict_pre_hooks) == 1 and len(old._state_dict_hooks) == 1
    old.load_state_dict(copy.deepcopy(old.state_dict()))
    nn.utils.remove_spectral_norm(old)
    assert list(old.state_dict()) == ["weight"] and not old._state_dict_hooks


def test_an_orthogonal_weight_stays_orthogonal_while_it_is_trained():
    torch.manual_seed(0)
    layer = parametrizations.orthogonal(nn.Linear(3, 3, bias=False))
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(3):
        layer(X).square().sum().backward()
        optimizer.step()
    torch.testing.assert_close(layer.weight @ layer.weight.T, torch.eye(3), atol=1e-5, rtol=0)


# --- pruning ------------------------------------------------------------------------------------------------------


def test_pruning_masks_the_weight_and_can_be_made_final():
    model = filled(Net())
    prune.l1_unstructured(model.fc, "weight", amount=3)
    assert [name for name, _ in model.fc.named_parameters()] == ["bias", "weight_orig"]
    assert [name for name, _ in model.fc.named_buffers()] == ["weight_mask"]
    assert (model.fc.weight == 0).sum() == 3 and prune.is_pruned(model)
    prune.random_structured(model.fc, "weight", amount=1, dim=0)
    assert isinstance(next(iter(model.fc._forward_pre_hooks.values())), prune.PruningContainer)
    state = model.state_dict()
    assert "fc.weight_mask" in state and "fc.weight" not in state
    prune.remove(model.fc, "weight")
    assert [name for name, _ in model.fc.named_parameters()] == ["bias", "weight"] and not prune.is_pruned(model)
    assert (model.fc.weight == 0).sum() >= 3


def test_pruning_over_the_whole_model_and_a_training_step_keep_the_zeros():
    model = filled(Net())
    places = [(model.fc, "weight"), (model.tail[2], "weight")]
    prune.global_unstructured(places, pruning_method=prune.L1Unstructured, amount=0.5)
    zeros = [module.weight == 0 for module, _ in places]
    assert sum(int(zero.sum()) for zero in zeros) == 10
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(X).square().sum().backward()
    optimizer.step()
    with torch.no_grad():
        model(X)
    assert all(not module.weight[zero].any() for (module, _), zero in zip(places, zeros, strict=True))
    other = copy.deepcopy(model)
    torch.testing.assert_close(other.eval()(X), model.eval()(X))


# --- lazy ---------------------------------------------------------------------------------------------------------


def test_lazy_modules_take_their_shape_from_the_first_call_and_become_plain():
    model = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d(), nn.LazyLinear(2, bias=False))
    assert type(model[0].weight) is nn.UninitializedParameter
    assert type(model[1].running_mean) is nn.parameter.UninitializedBuffer
    assert len(model[0]._forward_pre_hooks) == len(model[0]._load_state_dict_pre_hooks) == 1
    assert list(model.state_dict())[:3] == ["0.weight", "0.bias", "1.weight"]
    assert model(X).shape == (2, 2)
    assert [type(child) for child in model] == [nn.Linear, nn.BatchNorm1d, nn.Linear]
    assert model[0].weight.shape == (4, 3) and type(model[0].weight) is nn.Parameter
    assert not model[0]._forward_pre_hooks and not model[0]._load_state_dict_pre_hooks


def test_a_lazy_module_is_loaded_from_a_state_before_its_first_call():
    full = nn.Sequential(nn.LazyLinear(4), nn.LazyConv1d(2, 1))
    loaded = nn.Sequential(nn.LazyLinear(4), nn.LazyConv1d(2, 1))
    x = torch.randn(2, 5, 3)
    full(x)
    loaded.load_state_dict(full.state_dict())
    assert type(loaded[0]) is nn.LazyLinear and loaded[0].weight.shape == (4, 3)
    torch.testing.assert_close(loaded(x), full(x))
    assert type(loaded[0]) is nn.Linear
    file = io.BytesIO()
    torch.save(nn.Sequential(nn.LazyLinear(4)).state_dict(), file)
    file.seek(0)
    assert isinstance(torch.load(file, weights_only=False)["0.weight"], nn.UninitializedParameter)


# --- fusion and quantization --------------------------------------------------------------------------------------


def test_a_norm_is_fused_into_the_layer_before_it():
    conv, norm = filled(nn.Conv1d(3, 4, 1)).eval(), filled(nn.BatchNorm1d(4)).eval()
    x = torch.randn(2, 3, 5)
    torch.testing.assert_close(fusion.fuse_conv_bn_eval(conv, norm)(x), norm(conv(x)))
    linear = filled(nn.Linear(3, 4)).eval()
    fused = fusion.fuse_linear_bn_eval(linear, norm)
    torch.testing.assert_close(fused(X), norm(linear(X)))
    assert fused is not linear and type(fused) is nn.Linear and list(fused.state_dict()) == ["weight", "bias"]


class Quantizable(nn.Module):
    """Have the stubs and the layers that eager quantization looks for."""

    def __init__(self):
        super().__init__()
        self.quant, self.dequant = torch.ao.quantization.QuantStub(), torch.ao.quantization.DeQuantStub()
        self.conv, self.bn, self.relu = nn.Conv2d(1, 2, 2), nn.BatchNorm2d(2), nn.ReLU()
        self.fc = nn.Linear(8, 3)

    def forward(self, x):
        x = self.relu(self.bn(self.conv(self.quant(x))))
        return self.dequant(self.fc(x.flatten(1)))


@pytest.fixture
def engine():
    before = torch.backends.quantized.engine
    supported = [name for name in torch.backends.quantized.supported_engines if name != "none"]
    if not supported:
        pytest.skip("this torch has no engine for quantized layers")
    torch.backends.quantized.engine = "fbgemm" if "fbgemm" in supported else supported[-1]
    yield torch.backends.quantized.engine
    torch.backends.quantized.engine = before


def test_static_quantization_observes_and_converts_the_model(engine):
    from torch.ao import quantization

    torch.manual_seed(0)
    model, x = Quantizable().eval(), torch.rand(4, 1, 3, 3)
    expected = model(x)
    model = quantization.fuse_modules(model, [["conv", "bn", "relu"]])
    assert type(model.bn) is nn.Identity and type(model.conv).__name__ == "ConvReLU2d"
    model.qconfig = quantization.get_default_qconfig(engine)
    prepared = quantization.prepare(model)
    torch.testing.assert_close(prepared(x), expected)
    assert len(prepared.conv._forward_hooks) == 1
    converted = quantization.convert(prepared)
    assert type(converted.fc).__module__.startswith("torch.ao.nn.quantized")
    torch.testing.assert_close(converted(x), expected, atol=0.05, rtol=0.1)
    again = quantization.convert(quantization.prepare(copy.deepcopy(model)))
    again.load_state_dict(converted.state_dict())
    assert torch.equal(again(x), converted(x))
    assert torch.equal(torch.jit.script(converted)(x), converted(x))


def test_dynamic_quantization_and_training_aware_quantization_convert_too(engine):
    from torch.ao import quantization

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    dynamic = quantization.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)
    assert type(dynamic[0]).__name__ == "Linear" and "dynamic" in type(dynamic[0]).__module__
    torch.testing.assert_close(dynamic(X), model(X), atol=0.05, rtol=0.1)
    trained = Quantizable().train()
    trained.qconfig = quantization.get_default_qat_qconfig(engine)
    trained = quantization.fuse_modules_qat(trained, [["conv", "bn", "relu"]])
    quantization.prepare_qat(trained, inplace=True)
    x = torch.rand(4, 1, 3, 3)
    trained(x).sum().backward()
    assert trained.fc.weight.grad is not None
    converted = quantization.convert(trained.eval())
    torch.testing.assert_close(converted(x), trained(x), atol=0.1, rtol=0.1)


# --- averages, checkpoints, replicas ------------------------------------------------------------------------------


def test_an_averaged_model_is_the_mean_of_what_it_has_seen():
    model = filled(Net())
    mean = torch.optim.swa_utils.AveragedModel(model, use_buffers=True)
    mean.update_parameters(model)
    with torch.no_grad():
        model.fc.weight += 2
        model.tail[1].running_mean += 4
    mean.update_parameters(model)
    torch.testing.assert_close(mean.module.fc.weight, model.fc.weight - 1)
    torch.testing.assert_close(mean.module.tail[1].running_mean, model.tail[1].running_mean - 2)
    assert list(mean.state_dict())[:2] == ["n_averaged", "module.fc.weight"] and mean.n_averaged == 2
    torch.optim.swa_utils.update_bn([X, X + 1], mean)
    assert mean.module.tail[1].num_batches_tracked == 2
    ema = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9))
    ema.update_parameters(model)
    torch.testing.assert_close(ema(X), mean.module.__class__.forward(ema.module, X))


@pytest.mark.parametrize("reentrant", [False, True], ids=["hooks", "reentrant"])
def test_a_checkpoint_runs_forward_twice_and_gives_the_same_gradients(reentrant):
    calls, plain, model = [], filled(nn.Linear(3, 2)), filled(nn.Linear(3, 2))
    model.register_forward_pre_hook(lambda m, args: calls.append(torch.is_grad_enabled()))
    x, y = X.clone().requires_grad_(), X.clone().requires_grad_()
    plain(x).square().sum().backward()
    checkpoint(model, y, use_reentrant=reentrant).square().sum().backward()
    assert calls == [not reentrant, True]
    torch.testing.assert_close(model.weight.grad, plain.weight.grad)
    torch.testing.assert_close(y.grad, x.grad)


def test_a_sequence_is_checkpointed_in_segments():
    layers = nn.Sequential(*[nn.Linear(3, 3) for _ in range(4)])
    calls = []
    for layer in layers:
        layer.register_forward_pre_hook(lambda m, args: calls.append(m))
    checkpoint_sequential(layers, 2, X.clone().requires_grad_(), use_reentrant=False).sum().backward()
    assert calls.count(layers[0]) == 2 and calls.count(layers[3]) == 1
    assert all(layer.weight.grad is not None for layer in layers)


def test_a_checkpoint_wrapper_keeps_the_names_of_the_state():
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import apply_activation_checkpointing

    model, plain = filled(Net()), filled(Net())
    apply_activation_checkpointing(model, check_fn=lambda module: isinstance(module, nn.Linear))
    assert type(model.fc).__name__ == "CheckpointWrapper"
    assert model.fc.weight is model.fc._checkpoint_wrapped_module.weight
    assert list(model.state_dict()) == list(plain.state_dict())
    model.load_state_dict(plain.state_dict())
    for one in (model, plain):
        one(X).square().sum().backward()
    for one, other in zip(model.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad)


def test_a_replica_has_registries_of_its_own_and_no_parameters():
    model = filled(Net())
    replica = model._replicate_for_data_parallel()
    assert type(replica) is Net and replica._is_replica and replica._parameters == {}
    assert replica._modules == model._modules and replica._modules is not model._modules
    norm = model.tail[1]._replicate_for_data_parallel()
    assert list(norm._buffers) == list(model.tail[1]._buffers) and norm._buffers is not model.tail[1]._buffers
    linear = model.fc._replicate_for_data_parallel()
    linear.weight, linear.bias = model.fc.weight * 2, model.fc.bias * 1
    assert "weight" in vars(linear) and linear(X).shape == (2, 4) and model.fc.weight.is_leaf
    linear.train(False)
    assert model.fc.training


def test_data_parallel_without_a_gpu_is_the_module_itself():
    model = filled(Net()).eval()
    parallel = nn.DataParallel(model)
    torch.testing.assert_close(parallel(X), model(X))
    assert next(iter(parallel.state_dict())) == "module.fc.weight"


# --- kinds of tensors ---------------------------------------------------------------------------------------------


class Labelled(torch.Tensor):
    """Be a tensor of another class that survives operations."""


class Wrapping(torch.Tensor):
    """Hold another tensor, and act by passing every operation on to it."""

    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, device=inner.device)

    def __init__(self, inner):
        self.inner = inner

    def __tensor_flatten__(self):
        return ["inner"], None

    @staticmethod
    def __tensor_unflatten__(tensors, context, size, stride):
        return Wrapping(tensors["inner"])

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        def unwrap(value):
            return value.inner if isinstance(value, Wrapping) else value

        def wrap(value):
            return Wrapping(value) if type(value) is torch.Tensor else value

        args, kwargs = torch.utils._pytree.tree_map(unwrap, (args, kwargs or {}))
        return torch.utils._pytree.tree_map(wrap, function(*args, **kwargs))


def test_a_parameter_of_a_subclass_is_registered_trained_and_saved_as_one():
    layer = filled(nn.Linear(3, 2))
    layer.weight = nn.Parameter(layer.weight.detach().as_subclass(Labelled))
    assert isinstance(layer.weight, Labelled) and isinstance(layer.weight, nn.Parameter)
    assert isinstance(layer(X), Labelled)
    layer(X).sum().backward()
    assert layer.double().weight.dtype == torch.float64 and isinstance(layer.weight, Labelled)
    assert isinstance(layer.state_dict()["weight"], Labelled)
    layer.load_state_dict({"weight": torch.zeros(2, 3), "bias": torch.ones(2)})
    assert isinstance(layer.weight, Labelled) and not layer.weight.any()


def test_a_parameter_that_wraps_another_tensor_computes_moves_and_loads():
    layer, plain = filled(nn.Linear(3, 2)), filled(nn.Linear(3, 2))
    layer.weight = nn.Parameter(Wrapping(layer.weight.detach()))
    assert type(layer.weight) is Wrapping and "weight" in layer._parameters
    out = layer(X)
    torch.testing.assert_close(out.inner, plain(X))
    out.sum().backward()
    assert type(layer.weight.grad) is Wrapping
    before = layer.weight
    layer.zero_grad()
    layer.double()
    assert layer.weight is before and layer.weight.inner.dtype == torch.float64
    assert type(layer.state_dict()["weight"]) is Wrapping
    assert type(copy.deepcopy(plain).load_state_dict(layer.state_dict(), assign=True)).__name__ == "_IncompatibleKeys"


def test_a_model_under_fake_tensors_has_shapes_and_no_memory():
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

    real = filled(Net()).eval()
    with FakeTensorMode(allow_non_fake_inputs=True) as mode:
        model = Net(width=1000)
        assert isinstance(model.fc.weight, nn.Parameter) and isinstance(model.fc.weight, FakeTensor)
        out = model(torch.empty(5, 3))
        assert out.shape == (5, 2)
        out.sum().backward()
        assert model.fc.weight.grad.shape == (1000, 3)
        with pytest.raises(RuntimeError, match=r"Couldn't swap Linear\.weight"):
            model.double()
        state = model.state_dict()
    assert isinstance(state["fc.weight"], FakeTensor)
    values = {name: mode.from_tensor(value) for name, value in real.named_parameters()}
    out = functional_call(real, values, (X,))
    assert isinstance(out, FakeTensor) and type(real.fc.weight) is nn.Parameter


def test_a_model_is_born_on_meta_and_filled_by_assignment():
    with torch.device("meta"):
        model = Net()
    assert all(value.is_meta for value in model.state_dict().values())
    source = filled(Net()).eval()
    model.load_state_dict(source.state_dict(), assign=True)
    torch.testing.assert_close(model.eval()(X), source(X))
    assert nn.utils.skip_init(nn.Linear, 3, 2).weight.shape == (2, 3)


def test_the_summaries_of_gradients_and_vectors_reach_every_parameter():
    model = filled(Net())
    vector = nn.utils.parameters_to_vector(model.parameters())
    assert vector.numel() == 34
    nn.utils.vector_to_parameters(torch.zeros_like(vector), model.parameters())
    assert not any(value.any() for value in model.parameters())
    filled(model)(X).square().sum().backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    assert norm > 1
    assert nn.utils.get_total_norm([p.grad for p in model.parameters()]).item() == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("overwrite", [False, True])
def test_under_the_flags_of_the_future_a_parametrized_model_trains_on_after_a_cast(swap, overwrite):
    torch.__future__.set_swap_module_params_on_conversion(swap)
    torch.__future__.set_overwrite_module_params_on_conversion(overwrite)
    model = parametrizations.weight_norm(filled(nn.Linear(3, 2)))
    expected = filled(nn.Linear(3, 2)).double()(X.double())
    model.double()
    torch.testing.assert_close(model(X.double()), expected)
    model(X.double()).sum().backward()
    model.load_state_dict({name: value.clone() for name, value in model.state_dict().items()})
    torch.testing.assert_close(model(X.double()), expected)
