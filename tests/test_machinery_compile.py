"""torch.compile and torch.export on the Module: as many graphs, breaks and recompilations, and the same numbers."""

import io

import pytest
import torch
from exactly import raises
from torch import nn
from torch.nn.modules import module as names

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")


class Net(nn.Module):
    """Run a layer of its own, a container and a norm that keeps statistics."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.tail = nn.Sequential(nn.ReLU(), nn.BatchNorm1d(4), nn.Linear(4, 2))

    def forward(self, x):
        return self.tail(self.fc(x)) + 1


class Graphs:
    """Be a backend that runs its graphs as they are, and keeps them."""

    def __init__(self):
        self.seen = []

    def __call__(self, graph, inputs):
        self.seen.append(graph)
        return graph

    def __len__(self):
        return len(self.seen)


@pytest.fixture(autouse=True)
def forget_compiled_code():
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    yield
    torch._dynamo.reset()


@pytest.fixture
def graphs():
    return Graphs()


def train(model, call, steps=3):
    """Take some steps, and return the losses and what the model has become."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, y = torch.randn(8, 3), torch.randn(8, 2)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(call(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, {name: value.clone() for name, value in model.state_dict().items()}


# --- the same numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("backend", "in_place"), [("eager", False), ("aot_eager", True)])
def test_a_compiled_model_trains_to_the_same_numbers(backend, in_place):
    torch.manual_seed(1)
    plain = Net()
    torch.manual_seed(1)
    model = Net()
    torch.manual_seed(2)
    losses, state = train(plain, plain)
    torch.manual_seed(2)
    if in_place:
        model.compile(backend=backend, fullgraph=True)
        call = model
    else:
        call = torch.compile(model, backend=backend, fullgraph=True)
    compiled_losses, compiled_state = train(model, call)
    assert compiled_losses == pytest.approx(losses) and losses[-1] < losses[0]
    for name, value in state.items():
        torch.testing.assert_close(compiled_state[name], value)


def test_a_compiled_model_is_one_around_it_and_a_model_compiled_in_place_keeps_its_names(graphs):
    wrapped = torch.compile(Net(), backend=graphs)
    assert list(wrapped.state_dict())[:2] == ["_orig_mod.fc.weight", "_orig_mod.fc.bias"]
    assert isinstance(wrapped, nn.Module) and wrapped.fc is wrapped._orig_mod.fc
    model = Net()
    model.compile(backend=graphs)
    assert list(model.state_dict())[:2] == ["fc.weight", "fc.bias"] and len(vars(model)) == 18
    model(torch.randn(2, 3))
    assert len(graphs) == 1


# --- how many graphs ----------------------------------------------------------------------------------------------


class Small(nn.Module):
    """Run one layer and an operation of its own."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x).relu() * 3


class Broken(Net):
    """Leave the graph in the middle of forward."""

    def forward(self, x):
        x = self.fc(x)
        torch._dynamo.graph_break()
        return self.tail(x)


def nothing(*args):
    return None


def add_all_hooks(model):
    for module in model.modules():
        module.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
        module.register_forward_hook(lambda m, args, out: out + 1)
        module.register_full_backward_pre_hook(nothing)
        module.register_full_backward_hook(nothing)


# what is registered, and then the operations in each graph and the number of breaks
HOOKS = {
    "none": (lambda m: None, ([3], 0)),
    "forward": (lambda m: m.register_forward_hook(lambda m, args, out: out + 1), ([3, 1], 0)),
    "forward_of_a_child": (lambda m: m.fc.register_forward_hook(lambda m, args, out: out + 1), ([4], 0)),
    "forward_with_kwargs": (
        lambda m: m.register_forward_hook(lambda m, args, kwargs, out: out + 1, with_kwargs=True),
        ([3, 1], 0),
    ),
    "forward_always": (
        lambda m: m.register_forward_hook(lambda m, args, out: out + 1, always_call=True),
        ([3, 1], 0),
    ),
    "forward_pre": (lambda m: m.register_forward_pre_hook(lambda m, args: args[0] * 2), ([1, 3], 0)),
    "forward_pre_with_kwargs": (
        lambda m: m.register_forward_pre_hook(lambda m, args, kwargs: (args, kwargs), with_kwargs=True),
        ([3], 0),
    ),
    "full_backward": (lambda m: m.register_full_backward_hook(nothing), ([3], 0)),
    "full_backward_of_a_child": (lambda m: m.fc.register_full_backward_hook(nothing), ([2], 1)),
    "full_backward_pre": (lambda m: m.register_full_backward_pre_hook(nothing), ([3], 0)),
    "legacy_backward": (lambda m: m.register_backward_hook(nothing), ([3], 0)),
    "global_forward": (lambda m: names.register_module_forward_hook(nothing), ([3], 0)),
    "global_forward_pre": (lambda m: names.register_module_forward_pre_hook(nothing), ([3], 0)),
    "global_full_backward": (lambda m: names.register_module_full_backward_hook(nothing), ([2], 1)),
    "printing": (lambda m: m.fc.register_forward_hook(lambda m, args, out: print(end="")), ([1, 2], 2)),
    "of_all_kinds": (add_all_hooks, ([1, 1, 1, 2], 1)),
}


@pytest.mark.parametrize("kind", HOOKS)
def test_hooks_break_the_graph_as_often_and_are_compiled_as_far(kind, graphs):
    hook, expected = HOOKS[kind]
    model, x = Small(), torch.randn(5, 3, requires_grad=True)
    hook(model)
    torch.compile(model, backend=graphs)(x)
    operations = [sum(node.op.startswith("call") for node in graph.graph.nodes) for graph in graphs.seen]
    breaks = sum(torch._dynamo.utils.counters["graph_break"].values())
    assert (operations, breaks) == expected


class Twofold(nn.Module):
    """Keep a plain number."""

    def __init__(self):
        super().__init__()
        self.factor = 2

    def forward(self, x):
        return x * self.factor


@pytest.mark.parametrize("cleared", [False, True], ids=["", "after_a_group_of_processes"])
def test_a_module_that_is_made_in_forward_is_a_part_of_the_graph(cleared, graphs):
    if cleared:
        torch._dynamo.trace_rules.clear_lru_cache()  # what torch.distributed.destroy_process_group does
    model = Small()
    model.register_forward_hook(lambda m, args, out: Twofold()(out))
    x = torch.randn(5, 3)
    assert torch.equal(torch.compile(lambda x: model(x) + 1, backend=graphs, fullgraph=True)(x), model(x) + 1)
    assert len(graphs) == 1


def test_a_break_in_forward_gives_two_graphs(graphs):
    torch.compile(Broken(), backend=graphs)(torch.randn(5, 3))
    assert len(graphs) == 2


def test_a_child_that_is_not_to_be_compiled_is_called_between_two_graphs(graphs):
    model, x = Net(), torch.randn(5, 3)
    expected = model(x)
    model.tail = torch._dynamo.disable(model.tail)
    assert torch.equal(torch.compile(model, backend=graphs)(x), expected)
    assert len(graphs) == 2


def test_a_model_of_every_class_is_compiled_and_not_only_the_first_few(graphs):
    for place in range(12):
        model = type(f"Net{place}", (nn.Module,), {"forward": eval(f"lambda self, x: x + {place}")})()
        torch.compile(model, backend=graphs)(torch.randn(2, 3))
    assert len(graphs) == 12


class Walker(nn.Module):
    """Use in forward what a Module offers, besides calling its children."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3, bias=False)])
        self.named = nn.ModuleDict({"relu": nn.ReLU(), "drop": nn.Dropout(0.0)})
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(3) * 2)])
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))
        self.register_buffer("scratch", torch.ones(3), persistent=False)
        self.register_parameter("nothing", None)
        self.count = 0

    def forward(self, x):
        for layer, scale in zip(self.layers, self.scales, strict=True):
            x = self.named["relu"](layer(x)) * scale
        for name, child in self.named.items():
            x = child(x) if name != "relu" else x
        if self.nothing is None and hasattr(self, "scratch") and not hasattr(self, "absent"):
            x = x + self.scratch
        total = sum(p.sum() for p in self.parameters()) + sum(b.sum() for _, b in self.named_buffers())
        for name, module in self.named_modules():
            if isinstance(module, nn.Linear):
                x = x + len(name)
        x = x + self.get_submodule("layers.0").weight.sum() + self.get_parameter("layers.1.weight").sum()
        self.calls += 1
        self.count += 1
        self.last = x
        return x + total + len(list(self.children())) + (2 if self.training else 3) + len(self.layers[0]._parameters)


def test_what_a_module_offers_can_be_used_inside_one_graph(graphs):
    torch.manual_seed(1)
    plain = Walker()
    torch.manual_seed(1)
    model = Walker()
    compiled = torch.compile(model, backend=graphs, fullgraph=True)
    x = torch.randn(2, 3)
    for _ in range(2):
        torch.testing.assert_close(compiled(x), plain(x))
        assert model.calls == plain.calls and model.count == plain.count
        torch.testing.assert_close(model.last, plain.last)
    assert len(graphs) == 2


# --- what compiles again ------------------------------------------------------------------------------------------


def change_nothing(model):
    pass


def change_mode(model):
    model.eval()


def change_values(model):
    model.fc.weight.data.zero_()
    model.load_state_dict({name: torch.ones_like(value) for name, value in model.state_dict().items()})


def change_a_parameter(model):
    model.fc.weight = nn.Parameter(torch.ones(4, 3))


def change_a_shape(model):
    model.fc = nn.Linear(3, 4, bias=False)


def change_a_child(model):
    model.tail[0] = nn.Sigmoid()


def change_an_attribute(model):
    model.tail[1].eps = 0.5


def add_an_attribute(model):
    model.unused = 3


def freeze(model):
    model.requires_grad_(False)


def cast(model):
    model.double()


def add_a_hook(model):
    model.fc.register_forward_hook(lambda m, args, out: out * 2)


def add_a_global_hook(model):
    names.register_module_forward_hook(lambda m, args, out: None)


CHANGES = {
    change_nothing: 1,
    change_mode: 2,
    change_values: 1,
    change_a_parameter: 1,
    change_a_shape: 2,
    change_a_child: 2,
    change_an_attribute: 2,
    add_an_attribute: 1,
    freeze: 2,
    cast: 2,
    add_a_hook: 1,
    add_a_global_hook: 1,
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_of_the_model_compiles_it_again_as_often(change, graphs):
    model, x = Net(), torch.randn(5, 3)
    compiled = torch.compile(model, backend=graphs, fullgraph=True)
    compiled(x)
    change(model)
    x = x.to(model.fc.weight.dtype)
    out = compiled(x)
    torch._dynamo.reset()
    if not model.training:
        torch.testing.assert_close(out, model(x))
    assert len(graphs) == CHANGES[change]


def test_batch_sizes_compile_again_once_and_then_serve_all_sizes(graphs):
    compiled = torch.compile(Net(), backend=graphs, fullgraph=True)
    for size in (4, 5, 6, 7):
        assert compiled(torch.randn(size, 3)).shape == (size, 2)
    assert len(graphs) == 2


def test_twelve_models_of_one_class_that_are_alike_share_what_is_compiled(graphs):
    for _ in range(12):
        torch.compile(Net(), backend=graphs)(torch.randn(4, 3))
    assert len(graphs) == 1


# --- what a graph tells -------------------------------------------------------------------------------------------


def test_the_inputs_of_a_graph_are_named_after_the_registries(graphs):
    model = Small()
    model.fc.register_forward_hook(lambda m, args, out: out * 2)
    torch.compile(model, backend=graphs, fullgraph=True)(torch.randn(5, 3))
    (graph,) = graphs.seen
    assert [node.name for node in graph.graph.nodes] == [
        "l_x_",
        "l_self_modules_fc_parameters_weight_",
        "l_self_modules_fc_parameters_bias_",
        "linear",
        "hook_result",
        "relu",
        "mul_1",
        "output",
    ]


def test_a_graph_shows_the_lines_of_the_user_and_no_line_of_the_module(graphs):
    model = Small()
    model.fc.register_forward_hook(lambda m, args, out: out * 2)
    torch.compile(model, backend=graphs, fullgraph=True)(torch.randn(5, 3))
    files = {
        line.split('"')[1]
        for node in graphs.seen[0].graph.nodes
        for line in (node.stack_trace or "").splitlines()
        if line.lstrip().startswith('File "')
    }
    assert files == {__file__}


def test_a_graph_names_the_modules_that_each_operation_comes_from(graphs):
    torch.compile(Net().eval(), backend=graphs, fullgraph=True)(torch.randn(5, 3))
    (graph,) = graphs.seen
    stacks = {
        node.name: [kind.__name__ for _, kind in node.meta.get("nn_module_stack", {}).values()]
        for node in graph.graph.nodes
        if node.op == "call_function"
    }
    assert stacks == {
        "linear": ["Linear"],
        "input_1": ["Sequential", "ReLU"],
        "input_2": ["Sequential", "BatchNorm1d"],
        "input_3": ["Sequential", "Linear"],
        "add": [],
    }


def test_an_error_in_a_compiled_forward_comes_out_as_it_is():
    class Bad(Net):
        def forward(self, x):
            raise LookupError("own")

    with raises(LookupError, "own"):
        torch.compile(Bad(), backend="eager")(torch.randn(2, 3))


# --- compiled together with other machinery -----------------------------------------------------------------------


def test_functional_call_is_compiled_into_one_graph(graphs):
    model, x = Net().eval(), torch.randn(4, 3)
    values = {name: torch.ones_like(value) for name, value in model.named_parameters()}

    def call(values, x):
        return torch.func.functional_call(model, values, (x,))

    expected = call(values, x)
    assert torch.equal(torch.compile(call, backend=graphs, fullgraph=True)(values, x), expected)
    assert len(graphs) == 1


def test_gradients_by_func_are_compiled_into_one_graph(graphs):
    model, x = Net().eval(), torch.randn(4, 3)
    values = {name: value.detach() for name, value in model.named_parameters()}

    def loss(values, x):
        return torch.func.functional_call(model, values, (x,)).square().sum()

    expected = torch.func.grad(loss)(values, x)
    compiled = torch.compile(torch.func.grad(loss), backend=graphs, fullgraph=True)(values, x)
    for name, gradient in expected.items():
        torch.testing.assert_close(compiled[name], gradient)
    assert len(graphs) == 1


def test_a_checkpoint_is_compiled_with_what_is_around_it():
    class Saving(Net):
        def forward(self, x):
            return torch.utils.checkpoint.checkpoint(self.tail, self.fc(x), use_reentrant=False)

    torch.manual_seed(1)
    plain = Saving()
    torch.manual_seed(1)
    model = Saving()
    x = torch.randn(4, 3)
    plain(x).sum().backward()
    torch.compile(model, backend="aot_eager", fullgraph=True)(x).sum().backward()
    for (name, one), other in zip(plain.named_parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(other.grad, one.grad, msg=name)


def test_a_parametrization_is_compiled_with_the_layer(graphs):
    model = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    x = torch.randn(4, 3)
    torch.testing.assert_close(torch.compile(model, backend=graphs, fullgraph=True)(x), model(x))
    assert len(graphs) == 1


def test_a_step_and_its_optimizer_are_compiled_once(graphs):
    model, x = Small(), torch.randn(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().sum()
        loss.backward()
        optimizer.step()
        return loss.detach()

    compiled = torch.compile(step, backend=graphs)
    losses = [compiled(x).item() for _ in range(4)]
    assert len(graphs) == 3 and losses[-1] < losses[0]


# --- export -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strict", [False, True], ids=["non_strict", "strict"])
def test_an_exported_program_has_the_names_and_numbers_of_the_model_and_can_be_saved(strict):
    x = torch.randn(2, 3)
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(Net().eval(), (x,), dynamic_shapes=({0: batch},), strict=strict)
    assert sorted(program.state_dict) == sorted(Net().state_dict())
    assert list(program.graph_signature.parameters) == [name for name, _ in Net().named_parameters()]
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    again = torch.export.load(file)
    for size in (2, 7):
        x = torch.randn(size, 3)
        assert torch.equal(again.module()(x), program.module()(x))


def test_an_exported_program_gives_the_numbers_of_the_model():
    model, x = Net().eval(), torch.randn(2, 3)
    program = torch.export.export(model, (x,))
    torch.testing.assert_close(program.module()(x), model(x))
    lowered = program.run_decompositions()
    torch.testing.assert_close(lowered.module()(x), model(x))
    assert [str(node.target) for node in program.graph.nodes if node.op == "call_function"] == [
        "aten.linear.default",
        "aten.relu.default",
        "aten.batch_norm.default",
        "aten.linear.default",
        "aten.add.Tensor",
    ]


def test_an_exported_tree_keeps_the_calls_of_its_modules_apart():
    program = torch.export.export(Net().eval(), (torch.randn(2, 3),), preserve_module_call_signature=("tail",))
    tree = torch.export.unflatten(program)
    assert [name for name, _ in tree.named_children()] == ["fc", "tail"]
    assert sorted(name for name, _ in tree.named_parameters()) == sorted(name for name, _ in Net().named_parameters())


def test_an_exported_tied_parameter_is_one():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(3, 3, bias=False)
            self.b = nn.Linear(3, 3, bias=False)
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.b(self.a(x))

    program = torch.export.export(Tied(), (torch.randn(2, 3),))
    module = program.module()
    assert list(program.state_dict) == ["a.weight", "b.weight"] and module.a.weight is module.b.weight


@pytest.mark.parametrize("strict", [False, True], ids=["non_strict", "strict"])
def test_what_cannot_be_exported_is_blamed_on_the_line_of_the_user(strict):
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(2)

        def forward(self, x):
            return self.norm(x.nonzero().float())  # blamed: how many rows there are depends on the data

    with pytest.raises(Exception, match="blamed") as caught:
        torch.export.export(Outer(), (torch.ones(2, 2),), strict=strict)
    files = {line.split('"')[1] for line in str(caught.value).splitlines() if line.lstrip().startswith('File "')}
    assert not any(file.endswith("module.py") for file in files)
    assert __file__ in files


def test_a_draft_of_an_export_reports_each_place_in_the_code_of_the_user():
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(2)

        def forward(self, x):
            y = x.nonzero().float()
            if y.sum() > 3:  # the first place
                y = y + 1
            return self.norm(y)  # the second

    program = torch.export.draft_export(Outer().eval(), (torch.ones(2, 2),))
    places = [failure.data["user_stack"][-1] for failure in program._report.failures]
    assert [place["loc"] for place in places] == [
        "if y.sum() > 3:  # the first place",
        "return self.norm(y)  # the second",
    ]
