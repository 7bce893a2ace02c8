"""Profilers, counters, packages, warnings and tracebacks: what tells PyTorch's own code by its name or its file."""

import inspect
import io
import os
import sys
import traceback
import warnings

import pytest
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")


class Net(nn.Module):
    """Run a layer twice, and a container."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.tail = nn.Sequential(nn.ReLU(), nn.Linear(3, 2))

    def forward(self, x):
        return self.tail(self.fc(self.fc(x)))


def test_the_profiler_finds_each_module_that_is_called():
    model, x = Net(), torch.randn(4, 3)
    with profile(activities=[ProfilerActivity.CPU], with_stack=True, with_modules=True) as recorded:
        model(x)
    called = [event.name for event in recorded.events() if event.name.startswith("nn.Module: ")]
    assert sorted(called) == [
        "nn.Module: Linear_0",
        "nn.Module: Linear_0",
        "nn.Module: Linear_1",
        "nn.Module: Net_0",
        "nn.Module: ReLU_0",
        "nn.Module: Sequential_0",
    ]
    source, first = inspect.getsourcelines(nn.Module._call_impl)
    lines = [event.name for event in recorded.events() if event.name.endswith("): _call_impl")]
    places = [int(line.rpartition("(")[2].partition(")")[0]) for line in lines]
    assert len(places) == 6 and all(first <= place < first + len(source) for place in places)


def test_operations_are_counted_for_each_module():
    from torch.utils.flop_counter import FlopCounterMode

    model, x = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 2))), torch.randn(4, 3, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        model(x).sum().backward()
    counted = {name: sum(table.values()) for name, table in counter.get_flop_counts().items()}
    first, second = 3 * 2 * 4 * 3 * 3, 3 * 2 * 4 * 3 * 2  # forward once, backward twice
    assert counted == {
        "Global": first + second,
        "Sequential": first + second,
        "Sequential.0": first,
        "Sequential.1": second,
        "Sequential.1.0": second,
    }
    assert counter.get_total_flops() == first + second


def test_a_debug_mode_that_records_stacks_names_the_line_of_the_user():
    debug = pytest.importorskip("torch.utils._debug_mode")
    model, x = Net().eval(), torch.randn(4, 3)
    model.fc.register_forward_hook(lambda m, args, out: out)
    with debug.DebugMode(record_stack_trace=True, record_realtensor=True) as mode:
        model(x)
    named = [line.strip() for line in mode.debug_string(show_stack_trace=True).splitlines() if "# File: " in line]
    assert [line.partition(", code: ")[2] for line in named] == ["return self.tail(self.fc(self.fc(x)))"]
    assert named[0].startswith(f"# File: {__file__}:")


def test_the_profiler_reads_the_parameters_and_their_gradients_from_each_module():
    model, x = Net(), torch.randn(4, 3)
    model(x).sum().backward()
    activities = [ProfilerActivity.CPU]
    with profile(activities=activities, profile_memory=True, record_shapes=True, with_stack=True) as recorded:
        model(x).sum().backward()
    read, events = {}, recorded.profiler.kineto_results.experimental_event_tree()
    for event in events:  # the list grows while it is read
        events += event.children
        module = getattr(event.typed[1], "module", None)
        if module is not None:
            read[module.cls_name] = [(name, gradient is not None) for name, _, gradient in module.parameters]
    both = [("weight", True), ("bias", True)]
    assert read == {"Net": [], "Linear": both, "Sequential": [], "ReLU": []}


def test_a_tracker_knows_the_names_of_the_modules_that_run():
    from torch.utils.module_tracker import ModuleTracker

    class Asking(nn.Module):
        def forward(self, x):
            seen.append(sorted(tracker.parents))
            return x

    seen = []
    model = nn.Sequential(nn.Linear(3, 3), nn.Sequential(Asking()))
    with ModuleTracker() as tracker:
        model(torch.randn(4, 3))
    assert seen == [["Global", "Sequential", "Sequential.1", "Sequential.1.0"]]
    assert not nn.modules.module._global_forward_hooks and not nn.modules.module._global_forward_pre_hooks


def test_a_package_takes_torch_from_outside_and_the_model_from_inside():
    from torch.package import PackageExporter, PackageImporter

    model, file = nn.Sequential(nn.Linear(3, 2), nn.ReLU()), io.BytesIO()
    with PackageExporter(file) as exporter:
        exporter.extern("torch.**")
        exporter.save_pickle("models", "one.pkl", model)
    file.seek(0)
    loaded = PackageImporter(file).load_pickle("models", "one.pkl")
    x = torch.randn(4, 3)
    assert type(loaded) is nn.Sequential and torch.equal(loaded(x), model(x))


def test_a_warning_of_the_module_is_filtered_by_the_name_of_the_file():
    def call():
        model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
        model.register_backward_hook(lambda m, grad_in, grad_out: None)
        model(torch.randn(2, 3, requires_grad=True))

    for pattern, expected in ((r"torch\.nn\.modules\.module", 0), ("torch", 0), ("elsewhere", 1)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            warnings.filterwarnings("ignore", module=pattern)
            call()
        assert len(seen) == expected, pattern


def test_a_warning_to_the_caller_names_the_line_of_the_caller():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        nn.Linear(2, 2).state_dict({})
    assert [warning.filename for warning in seen] == [__file__]


def test_a_traceback_goes_through_the_call_into_forward_and_shows_lines_that_exist():
    class Bad(nn.Module):
        def forward(self, x):
            raise LookupError("own")

    with pytest.raises(LookupError) as caught:
        nn.Sequential(Bad())(1)
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.name for frame in frames[1:]] == ["_wrapped_call_impl", "_call_impl", "forward"] * 2
    for frame in frames:
        with open(frame.filename, encoding="utf-8") as file:
            assert file.read().splitlines()[frame.lineno - 1].strip() == frame.line


def test_the_source_of_the_module_can_be_shown():
    file = inspect.getsourcefile(nn.Module)
    assert os.path.samefile(file, sys.modules["torch.nn.modules.module"].__file__)
    assert inspect.getsource(nn.Module).startswith("class Module:")
    assert inspect.getmodule(nn.Module).__name__ == "torch.nn.modules.module"
    assert inspect.signature(nn.Module.register_forward_hook).parameters["prepend"].default is False


def test_autocast_and_a_scaler_work_around_a_model():
    model, x = Net(), torch.randn(4, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
    before = model.fc.weight.clone()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(x)
    assert out.dtype == torch.bfloat16 and model.fc.weight.dtype == torch.float32
    scaler.scale(out.float().square().sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert not torch.equal(model.fc.weight, before)


def test_saved_tensors_of_a_model_go_through_hooks():
    packed = []
    model, x = Net(), torch.randn(4, 3, requires_grad=True)
    model(x).sum().backward()
    expected, x.grad = x.grad, None
    with torch.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or len(packed) - 1, lambda n: packed[n]):
        out = model(x)
    out.sum().backward()
    assert packed and torch.equal(x.grad, expected)
