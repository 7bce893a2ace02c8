"""Several processes: two ranks that train one model over gloo, torchrun, spawned children and workers.

All of them stand on the Module of the process that started them.
"""

import json
import multiprocessing
import os
import subprocess
import sys

import pytest
import torch
from torch import nn
from torch.nn.modules import module as module_file

ON_STOCK = type(module_file.__spec__.loader).__module__ != "scratch.finder"
SCRATCH = [] if ON_STOCK else ["-m", "scratch"]
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def whose():
    """Say from which file the Module of this process is, seen from torch."""
    return os.path.relpath(nn.Module.add_module.__code__.co_filename, os.path.dirname(torch.__file__))


def launch(folder, *command, arguments=()):
    """Run the two ranks, and give back what each has written down."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore", "TORCH_CPP_LOG_LEVEL": "ERROR"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [ROOT, environment.get("PYTHONPATH")]))
    command = [sys.executable, *command, os.path.join(ROOT, "tests", "two_ranks.py"), *arguments, str(folder)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads((folder / f"{rank}.json").read_text(encoding="utf-8")) for rank in range(2)]


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    return launch(tmp_path_factory.mktemp("ranks"), *SCRATCH)


needs_gloo = pytest.mark.skipif(
    not (torch.distributed.is_available() and torch.distributed.is_gloo_available() and hasattr(os, "fork")),
    reason="two local ranks need gloo and fork",
)


# --- two ranks ----------------------------------------------------------------------------------------------------


@needs_gloo
def test_both_ranks_stand_on_this_module(ranks):
    assert [said["stand"] for said in ranks] == [whose()] * 2


@needs_gloo
def test_two_ranks_that_share_gradients_train_to_the_numbers_of_one_process(ranks):
    assert [said["share_gradients"] for said in ranks] == [[True, ["module.calls", "module.fc.weight"], 3]] * 2


@needs_gloo
def test_parameters_without_a_gradient_are_left_out_and_no_sync_waits(ranks):
    assert [said["share_some_gradients"] for said in ranks] == [[True, True, False]] * 2


@needs_gloo
def test_two_ranks_that_shard_the_parameters_train_to_the_numbers_of_one_process(ranks):
    names = ["calls", "fc.weight", "fc.bias", "tail.1.weight", "tail.1.bias"]
    assert [said["shard"] for said in ranks] == [["FSDPNet", "DTensor", [2, 3], names]] * 2


@needs_gloo
def test_a_sharded_model_goes_through_a_distributed_checkpoint(ranks):
    names = ["calls", "fc.bias", "fc.weight", "tail.1.bias", "tail.1.weight"]
    assert [said["save_and_load_shards"] for said in ranks] == [[True, names]] * 2


@needs_gloo
def test_layers_are_split_over_two_ranks_with_the_same_numbers(ranks):
    assert [said["split_layers"] for said in ranks] == [[[2, 3], [2, 2]]] * 2


@needs_gloo
def test_a_norm_is_converted_to_one_that_two_ranks_share(ranks):
    assert [said["convert_norms"] for said in ranks] == [["SyncBatchNorm", 0.5, True]] * 2


@needs_gloo
def test_torchrun_starts_its_workers_on_this_module_with_their_arguments(tmp_path):
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    ranks = launch(tmp_path, *torchrun, *(["--module", "scratch"] if SCRATCH else []), arguments=["--epochs", "3"])
    for said in ranks:
        assert said["stand"] == whose() and said["arguments"] == ["--epochs", "3", str(tmp_path)]
        assert said["share_gradients"] == [True, ["module.calls", "module.fc.weight"], 3]


# --- spawned children and workers ---------------------------------------------------------------------------------


def be_a_child(queue, model):
    """Say whose Module this is and what the model gives, and train it a little."""
    queue.put((whose(), type(model).__name__, model(torch.ones(1, 3)).tolist()))
    with torch.no_grad():
        model.bias += 1


@pytest.mark.parametrize("kind", multiprocessing.get_all_start_methods())
def test_a_child_stands_on_the_module_of_its_parent_wherever_it_is_started(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = nn.Linear(3, 1)
    nn.init.constant_(model.weight, 2.0)
    nn.init.constant_(model.bias, 0.5)
    model.share_memory()
    context = torch.multiprocessing.get_context(kind)
    queue = context.SimpleQueue()
    child = context.Process(target=be_a_child, args=(queue, model))
    child.start()
    child.join(100)
    assert child.exitcode == 0
    assert queue.get() == (whose(), "Linear", [[6.5]])
    assert model.bias.item() == 1.5


class Rows(torch.utils.data.Dataset):
    """Give rows that say where they were made."""

    def __init__(self, model):
        self.model = model

    def __len__(self):
        return 4

    def __getitem__(self, place):
        with torch.no_grad():
            return self.model(torch.full((3,), float(place))), whose(), os.getpid()


@pytest.mark.parametrize(
    "kind", [kind for kind in ("fork", "spawn") if kind in multiprocessing.get_all_start_methods()]
)
def test_the_workers_of_a_loader_stand_on_the_module_of_their_parent(kind):
    model = nn.Linear(3, 1, bias=False)
    nn.init.constant_(model.weight, 1.0)
    loader = torch.utils.data.DataLoader(Rows(model), batch_size=2, num_workers=1, multiprocessing_context=kind)
    rows, homes, processes = zip(*loader, strict=True)
    assert torch.cat(rows).squeeze().tolist() == [0.0, 3.0, 6.0, 9.0]
    assert {home for batch in homes for home in batch} == {whose()}
    assert os.getpid() not in {int(process) for batch in processes for process in batch}
