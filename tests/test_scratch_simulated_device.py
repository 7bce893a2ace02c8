"""The simulated accelerator behaves as one: it computes the CPU's values, and refuses what a GPU refuses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

TESTS = Path(__file__).parent
PROGRAM = """
import copy, io, json, torch
from torch import nn
import simulated_device
simulated_device.register()
said = {}


def train(device):
    torch.set_default_device(device)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.randn(3, 4)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(x).pow(2).mean()
        loss.backward()
        optimizer.step()
    return model, x, loss.item()


on_cpu, (model, x, loss) = train("cpu")[2], train("sim")
said["loss"] = abs(loss - on_cpu) < 1e-6
said["places"] = sorted({tensor.device.type for tensor in model.state_dict().values()})
try:
    model(torch.ones(3, 4, device="cpu"))
except RuntimeError as error:
    said["mixed"] = str(error)
try:
    x.numpy()
except TypeError as error:
    said["numpy"] = "copy the tensor to host memory first" in str(error)
view = x.view(12)
view[0] = 5
said["view"] = x[0, 0].item()
said["copied"] = torch.equal(copy.deepcopy(model)[0].weight, model[0].weight)
file = io.BytesIO()
torch.save(model.state_dict(), file)
file.seek(0)
said["loaded"] = [torch.load(file)["0.weight"].device.type]
file.seek(0)
said["loaded"].append(torch.load(file, map_location="cpu")["0.weight"].device.type)
before = model[0].weight
said["moved"] = [model.to(place)[0].weight is before for place in ("cpu", "sim")]
print(json.dumps(said))
"""


@pytest.mark.skipif(
    tuple(map(int, torch.__version__.split(".")[:2])) < (2, 12), reason="torch < 2.12 registers no device in Python"
)
@pytest.mark.parametrize("way", [[], ["-m", "scratch"]], ids=["torch", "scratch"])
def test_the_simulated_accelerator_computes_and_refuses_as_one_does(way):
    program = f"import sys; sys.path.insert(0, {str(TESTS)!r})\n{PROGRAM}"
    done = subprocess.run([sys.executable, *way, "-c", program], cwd=TESTS.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "loss": True,
        "places": ["sim"],
        "mixed": "Expected all tensors to be on the same device, but found at least two devices, sim:0 and cpu!",
        "numpy": True,
        "view": 5.0,
        "copied": True,
        "loaded": ["sim", "cpu"],
        "moved": [False, False],
    }
