"""Keep one test's global state from the next, and say whose Module is under test.

The behaviour tests import torch only and run twice, the same bytes:

    python -m pytest tests                  on PyTorch's own Module
    python -m scratch -m pytest tests       on the Module of this repository

What tests the tools around the Module needs to run once only, so the second run leaves it out.
"""

from pathlib import Path

import pytest
import torch
from torch.nn.modules import module as module_file

pytest.register_assert_rewrite("exactly")

STOCK_FILE = Path(torch.__file__).parent / "nn" / "modules" / "module.py"
ON_STOCK = Path(module_file.__spec__.origin) == STOCK_FILE
TESTED_ONCE = (
    "test_literate_",
    "test_site_",
    "test_scratch_",
    "test_corpus",
    "test_what_torch_reads",
    "test_sections",
    "test_fuzz",
    "test_wild",
)


def pytest_addoption(parser):
    """Let the tests run with another default device."""
    parser.addoption("--device", default="cpu", help="the default device: cpu, cuda, or sim, a simulated accelerator")


def pytest_configure(config):
    """Make the simulated accelerator known, where it is asked for."""
    if config.getoption("--device") == "sim":
        import simulated_device

        simulated_device.register()


def pytest_terminal_summary(terminalreporter):
    """Name the Module under test and the torch that it serves (a header would be lost under -q)."""
    whose = "PyTorch's own" if ON_STOCK else f"ours, {module_file.__spec__.origin}"
    terminalreporter.write_line(f"torch {torch.__version__}, torch.nn.Module: {whose}")


def pytest_ignore_collect(collection_path):
    """Leave the tests of the tools to the run on PyTorch's own Module."""
    if not ON_STOCK and collection_path.name.startswith(TESTED_ONCE):
        return True
    return None


@pytest.fixture(autouse=True)
def clean_global_state(request):
    """Seed before each test; put back afterwards whatever it set for all of torch."""
    device = request.config.getoption("--device")
    torch.set_default_device(None if device == "cpu" else device)
    torch.manual_seed(0)
    dtype = torch.get_default_dtype()
    future = {name: getattr(torch.__future__, name) for name in vars(torch.__future__) if name.startswith("_")}
    yield
    torch.set_default_dtype(dtype)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    for name in ("_overwrite_module_params_on_conversion", "_swap_module_params_on_conversion"):
        setattr(torch.__future__, name, future[name])
    for name, table in vars(module_file).items():
        if name.startswith("_global_") and isinstance(table, dict):
            table.clear()
    module_file._global_is_full_backward_hook = None
