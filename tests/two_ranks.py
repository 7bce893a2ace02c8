"""Train one small model in two local processes that meet over gloo, in each of torch's ways, and note what came out.

    python [-m scratch] tests/two_ranks.py FOLDER            both ranks, forked from this process
    torchrun --nproc-per-node 2 [-m scratch] tests/two_ranks.py FOLDER        one rank each

Each function that takes a rank is one way; what it returns, or its traceback, is in FOLDER/RANK.json under its name.
The tests read it from there: see test_machinery_distributed.py.
"""

import json
import os
import sys
import traceback

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

FOLDER = sys.argv[-1]


class Net(nn.Module):
    """Run a layer of its own and one in a container, and count the calls."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.tail = nn.Sequential(nn.ReLU(), nn.Linear(4, 2))
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls += 1
        return self.tail(self.fc(x))


def make(seed=0):
    torch.manual_seed(seed)
    return Net()


def data():
    torch.manual_seed(1)
    return torch.randn(8, 3), torch.randn(8, 2)


def train(model, x, y, steps=3):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()


def expect():
    """Train in one process, as the two together should."""
    model = make()
    train(model, *data())
    return model


def whose():
    """Say from which file the Module of this process is, seen from torch."""
    return os.path.relpath(nn.Module.add_module.__code__.co_filename, os.path.dirname(torch.__file__))


def stand(rank):
    return whose()


def share_gradients(rank):
    model = make(seed=rank)  # the ranks begin apart: it makes them equal
    parallel = DistributedDataParallel(model)
    x, y = data()
    train(parallel, x[rank::2], y[rank::2])
    for (name, value), other in zip(expect().named_parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(other, value, msg=name)
    return parallel.module is model, list(parallel.state_dict())[:2], int(model.calls)


def share_some_gradients(rank):
    class Half(Net):
        def forward(self, x, deep):
            x = self.fc(x)
            return self.tail(x) if deep else x

    parallel = DistributedDataParallel(Half(), find_unused_parameters=True)
    x, _ = data()
    parallel(x[rank::2], deep=False).sum().backward()
    unused = parallel.module.tail[1].weight.grad
    parallel.zero_grad()
    with parallel.no_sync():
        parallel(x[rank::2], deep=True).sum().backward()
    alone = parallel.module.fc.weight.grad.clone()
    parallel(x[rank::2], deep=True).sum().backward()
    together = parallel.module.fc.weight.grad.clone()
    others = [torch.empty_like(together) for _ in range(2)]
    dist.all_gather(others, together)
    return unused is None, torch.equal(*others), torch.equal(alone, together)


def shard(rank):
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    mesh, model = init_device_mesh("cpu", (2,)), make()
    fully_shard(model.tail, mesh=mesh)
    fully_shard(model, mesh=mesh)
    x, y = data()
    train(model, x[rank::2], y[rank::2])
    one = expect()
    for (name, value), (other_name, other) in zip(one.named_parameters(), model.named_parameters(), strict=True):
        assert name == other_name
        torch.testing.assert_close(other.full_tensor(), value, msg=name)
    whole = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))
    if rank == 0:
        torch.testing.assert_close(whole["fc.weight"], one.fc.weight.detach())
    state, weight = model.state_dict(), model.fc.weight
    model.load_state_dict({name: value.clone() for name, value in state.items()})
    return type(model).__name__, type(weight).__name__, tuple(weight.to_local().shape), list(state)


def save_and_load_shards(rank):
    import torch.distributed.checkpoint as checkpoints
    from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    def start(seed):
        model = fully_shard(make(seed), mesh=init_device_mesh("cpu", (2,)))
        return model, torch.optim.Adam(model.parameters())

    (model, optimizer), (x, _), place = start(0), data(), os.path.join(FOLDER, "saved")
    model(x).square().sum().backward()
    optimizer.step()
    weights, moments = get_state_dict(model, optimizer)
    checkpoints.save({"model": weights, "optimizer": moments}, checkpoint_id=place)
    other, other_optimizer = start(1)
    weights, moments = get_state_dict(other, other_optimizer)
    checkpoints.load({"model": weights, "optimizer": moments}, checkpoint_id=place)
    set_state_dict(other, other_optimizer, model_state_dict=weights, optim_state_dict=moments)
    return torch.equal(other(x), model(x)), sorted(weights)


def split_layers(rank):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    model, (x, _) = make(), data()
    before = model(x)
    plan = {"fc": ColwiseParallel(), "tail.1": RowwiseParallel()}
    parallelize_module(model, init_device_mesh("cpu", (2,)), plan)
    torch.testing.assert_close(model(x), before)
    return tuple(model.fc.weight.to_local().shape), tuple(model.tail[1].weight.to_local().shape)


def convert_norms(rank):
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4, momentum=0.5))
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    return type(converted[1]).__name__, converted[1].momentum, list(converted.state_dict()) == list(model.state_dict())


WAYS = (stand, share_gradients, share_some_gradients, shard, save_and_load_shards, split_layers, convert_norms)


def work(rank, ways):
    said = {}
    for way in ways:
        try:
            said[way.__name__] = way(rank)
        except Exception:
            said[way.__name__] = traceback.format_exc()
            break  # the other rank may wait for this one, so go on to the end
    with open(os.path.join(FOLDER, f"{rank}.json"), "w", encoding="utf-8") as file:
        json.dump({**said, "arguments": sys.argv[1:]}, file)


def meet_and_work(rank):
    meeting = f"file://{os.path.join(FOLDER, 'meeting')}"  # a file and no port: nobody else can have it
    dist.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
    work(rank, WAYS)
    dist.destroy_process_group()


if __name__ == "__main__":
    if dist.is_torchelastic_launched():
        dist.init_process_group("gloo")
        work(dist.get_rank(), (stand, share_gradients))
        dist.destroy_process_group()
    else:
        torch.multiprocessing.start_processes(meet_and_work, nprocs=2, start_method="fork")
