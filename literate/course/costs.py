"""Time nn.Module's operations on PyTorch's Module and on ours, in turn, and print the ratio.

Two worker processes have torch loaded, one on each Module. Each row is timed in the one, then in the other, several
times over; the ratio is taken pair by pair, so that a machine that slows down halfway slows both. Believe the ratio:
the nanoseconds are this machine's, today. With --record, the page "What the sugar costs" is drawn from what was found.
"""

import argparse
import copy
import datetime
import importlib.metadata
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from literate.reading.files import replace_files
from literate.reading.pages import Fence, Snippet
from literate.reading.repository import LANGUAGES, UsageError
from literate.running.record import MODULES
from literate.running.run import PACKAGES, Run, Runner

SECONDS_A_SAMPLE = 0.02
SNIPPETS = "200 snippets on both Modules"
RECORD = Path("docs", "en", "downloads", "benchmark.json")
SIZES = (10, 100, 1_000, 10_000, 100_000)  # Parameters
TOO_LONG = 5e9  # nanoseconds: what would take longer is not timed at the next size


def gpt(config: tuple[int, int, int], device: str):  # type: ignore[no-untyped-def]
    """Build a GPT-2-shaped tree: (layers, width, vocabulary)."""
    from torch import nn

    layers, width, vocabulary = config

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.ln_1 = nn.LayerNorm(width, device=device)
            self.attention = nn.Linear(width, 3 * width, device=device)
            self.projection = nn.Linear(width, width, device=device)
            self.ln_2 = nn.LayerNorm(width, device=device)
            self.expand = nn.Linear(width, 4 * width, device=device)
            self.act = nn.GELU()
            self.contract = nn.Linear(4 * width, width, device=device)
            self.dropout = nn.Dropout(0.0)

        def forward(self, x):  # type: ignore[no-untyped-def]
            query, key, value = self.attention(self.ln_1(x)).chunk(3, -1)
            mixed = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + self.dropout(self.projection(mixed))
            return x + self.dropout(self.contract(self.act(self.expand(self.ln_2(x)))))

    class GPT(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.wte = nn.Embedding(vocabulary, width, device=device)
            self.wpe = nn.Embedding(1024, width, device=device)
            self.blocks = nn.ModuleList(Block() for _ in range(layers))
            self.ln_f = nn.LayerNorm(width, device=device)
            self.lm_head = nn.Linear(width, vocabulary, bias=False, device=device)
            self.wte.weight = self.lm_head.weight

        def forward(self, tokens):  # type: ignore[no-untyped-def]
            x = self.wte(tokens) + self.wpe.weight[: tokens.shape[1]]
            for block in self.blocks:
                x = block(x)
            return self.lm_head(self.ln_f(x))

    return GPT()


def rows() -> dict[str, Callable[[], object]]:
    """Make what each row times. Everything that is not to be timed happens here."""
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(0)

    class Identity(nn.Module):
        def forward(self, x):  # type: ignore[no-untyped-def]
            return x

    class Holder(nn.Module):
        pass

    parameter, child = nn.Parameter(torch.zeros(1)), Identity()
    holder: Any = Holder()  # a Module takes an int as well as what its annotation names
    holder.weight, holder.layer, holder.number = parameter, child, 0
    plain, hooked = Identity(), Identity()
    hooked.register_forward_hook(lambda module, args, output: None)
    tree = gpt((12, 16, 50), "cpu")
    state = tree.state_dict()
    small = gpt((2, 32, 50), "cpu")
    optimizer = torch.optim.SGD(small.parameters(), lr=0.1)
    tokens = torch.randint(50, (2, 16))

    def delete() -> None:
        holder.passing = parameter
        del holder.passing

    def step() -> None:
        optimizer.zero_grad()
        small(tokens).logsumexp(-1).sum().backward()
        optimizer.step()

    def to_and_fro() -> None:
        tree.to(torch.float64)
        tree.to(torch.float32)

    return {
        "construct an empty Module": nn.Module,
        "build GPT-2 small on meta": lambda: gpt((12, 768, 50257), "meta"),
        "set a Parameter": lambda: setattr(holder, "weight", parameter),
        "set a child": lambda: setattr(holder, "layer", child),
        "set a plain attribute": lambda: setattr(holder, "number", 1),
        "get a Parameter": lambda: holder.weight,
        "get a child": lambda: holder.layer,
        "set and delete a Parameter": delete,
        "call, no hooks": lambda: plain(1),
        "call, one forward hook": lambda: hooked(1),
        "parameters()": lambda: list(tree.parameters()),
        "named_parameters()": lambda: list(tree.named_parameters()),
        "named_modules()": lambda: list(tree.named_modules()),
        "state_dict()": tree.state_dict,
        "load_state_dict, copying": lambda: tree.load_state_dict(state),
        "load_state_dict, assigning": lambda: tree.load_state_dict(dict(state), assign=True),
        "train()": tree.train,
        "to(dtype), there and back": to_and_fro,
        "to(the same device)": lambda: tree.to("cpu"),
        "zero_grad()": tree.zero_grad,
        "apply()": lambda: tree.apply(lambda module: None),
        "deepcopy": lambda: copy.deepcopy(tree),
        "repr": lambda: repr(tree),
        "one training step of a small GPT": step,
    }


def scaled_rows(size: int) -> dict[str, Callable[[], object]]:
    """Make what is timed on a Module of `size` Parameters, ten to a child."""
    import torch
    from torch import nn

    tree = nn.Module()
    for number in range(size // 10):
        child: Any = nn.Module()
        for place in range(10):
            setattr(child, f"p{place}", nn.Parameter(torch.zeros(1)))
        tree.add_module(str(number), child)
    state = tree.state_dict()
    return {
        "parameters()": lambda: list(tree.parameters()),
        "state_dict()": tree.state_dict,
        "load_state_dict()": lambda: tree.load_state_dict(state),
        "train()": tree.train,
        "to()": lambda: tree.to("cpu"),
        "zero_grad()": tree.zero_grad,
    }


def work() -> None:
    """Answer requests, a row's name a line, with the nanoseconds that one run of it takes.

    A name that ends with @ and a number is that of a scaled row on so many Parameters.
    """
    table = rows()
    print(json.dumps(list(table)), flush=True)
    counts: dict[str, int] = {}
    size = 0
    for line in sys.stdin:
        name, _, wanted = line.rstrip("\n").partition("@")
        if wanted and int(wanted) != size:  # one such tree at a time
            size = int(wanted)
            table |= {f"{scaled}@{size}": run for scaled, run in scaled_rows(size).items()}
        run = table[name := line.rstrip("\n")]
        if name not in counts:
            begin = time.process_time()
            run()
            counts[name] = max(1, math.ceil(SECONDS_A_SAMPLE / max(time.process_time() - begin, 1e-6)))
        best = math.inf
        for _ in range(3):
            begin = time.process_time_ns()  # not the clock on the wall: others may use the processor meanwhile
            for _ in range(counts[name]):
                run()
            best = min(best, (time.process_time_ns() - begin) / counts[name])
        print(best, flush=True)


class Worker:
    """Hold one process that times rows on one of the Modules."""

    def __init__(self, *prefix: str) -> None:
        command = [sys.executable, *prefix, "-m", "literate.course.costs"]
        self.process = subprocess.Popen(command, cwd=PACKAGES, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.names = json.loads(self.read())

    def read(self) -> str:
        """Read one answer.

        Raises:
            RuntimeError: if the process has ended.
        """
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the worker ended with {self.process.wait()}: {self.process.args!r}")
        return line

    def time(self, name: str) -> float:
        """Return the nanoseconds of one run of a row."""
        assert self.process.stdin is not None
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return float(self.read())

    def end(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def time_start() -> dict[str, float]:
    """Time how a program begins, as `python` starts it and as `python -m scratch` does; return milliseconds of both."""
    try:
        import resource
    except ImportError:  # Windows doesn't say what a process has cost
        return {}

    def milliseconds(*way: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *way, "-c", ""], cwd=PACKAGES, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    pairs = [(milliseconds(), milliseconds("-m", "scratch")) for _ in range(15)]
    plain, ours = (round(statistics.median(column), 1) for column in zip(*pairs, strict=True))
    print(f"{'start a program that is empty':34}{plain:9,.1f} ms{ours:9,.1f} ms{ours - plain:8.1f} ms more")
    return {"python": plain, "scratch": ours}


def time_snippets() -> None:
    """Time 200 small snippets on both Modules: forked from warm servers, and in interpreters of their own.

    The second is timed on some of them, for patience's sake; the ratio is that of one run to one run.
    """

    def seconds(count: int, fork: bool) -> float:
        runs = []
        for number in range(count):
            code = f"import torch\n\nlayer = torch.nn.Linear(2, {number + 1})\nprint(layer.weight.shape)\n"
            fence = Fence(1, 6, 0, "python", "python", code, code)
            snippet = Snippet(Path("docs/en/bench.md"), f"number-{number}", 1, [fence])
            runs += [Run(snippet, module, "cpu") for module in MODULES]
        begin = time.perf_counter()
        with Runner(PACKAGES, fork=fork) as runner:
            assert all(result.trouble is None for result in runner.run(runs))
        return time.perf_counter() - begin

    forked, started = seconds(200, True), seconds(8, False) * 200 / 8
    print(f"{SNIPPETS:34}{started:10,.1f} s{forked:10,.1f} s{forked / started:8.2f}   (own interpreters, forked)")


def time_row(name: str, stock: Worker, scratch: Worker, rounds: int) -> dict[str, Any]:
    """Time one row on both Modules in turn, and return what was found."""
    pairs = [(stock.time(name), scratch.time(name)) for _ in range(rounds)]
    ratios = sorted(ours / theirs for theirs, ours in pairs)
    theirs, ours = (round(statistics.median(column)) for column in zip(*pairs, strict=True))
    low, ratio, high = (round(value, 3) for value in (ratios[0], statistics.median(ratios), ratios[-1]))
    return {"name": name, "torch": theirs, "scratch": ours, "ratio": ratio, "low": low, "high": high}


def time_scaling(stock: Worker, scratch: Worker) -> list[dict[str, Any]]:
    """Time what walks over a Module at every size, and print the nanoseconds for each Parameter."""
    found: list[dict[str, Any]] = []
    last: dict[tuple[str, str], float] = {}
    print(f"\n{'nanoseconds for each Parameter, of':34}" + "".join(f"{size:>10,}" for size in SIZES))
    for size in SIZES:
        for name in ("parameters()", "state_dict()", "load_state_dict()", "train()", "to()", "zero_grad()"):
            for module, worker in (("torch", stock), ("scratch", scratch)):
                if last.get((name, module), 0) * 10 > TOO_LONG:
                    continue
                took = min(worker.time(f"{name}@{size}") for _ in range(2))
                last[name, module] = took
                found.append({"name": name, "module": module, "parameters": size, "ns": round(took)})
    for name, module in last:
        line = "".join(
            f"{one['ns'] / one['parameters']:10,.0f}" for one in found if (one["name"], one["module"]) == (name, module)
        )
        print(f"{name + ' on ' + module:34}{line}")
    return found


def machine() -> str:
    """Say what the figures were taken on."""
    processor = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").is_file() and (
        found := re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    ):
        processor = found[1]
    return f"{processor}, {os.cpu_count()} cores, {platform.system()}"


def write_record(
    root: Path, found: list[dict[str, Any]], scaling: list[dict[str, Any]], start: dict[str, float]
) -> None:
    """Note what was found, for the pictures of the page."""
    record = {
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "python": platform.python_version(),
        "torch": importlib.metadata.version("torch"),
        "geometric_mean": round(statistics.geometric_mean(row["ratio"] for row in found), 3),
        "rows": found,
        "scaling": scaling,
        "start": start,
    }
    text = json.dumps(record, indent=1) + "\n"
    replace_files(root, {Path("docs", language, "downloads", RECORD.name): text.encode() for language in LANGUAGES})
    print(f"noted in {RECORD.as_posix()}; draw it: python -m literate draw")


def time_all(options: argparse.Namespace, root: Path) -> int:
    """Time every row on both Modules, and print a table."""
    if options.record and options.only:
        raise UsageError("--record notes all rows: leave --only out")
    stock = Worker()
    names = [name for name in stock.names if options.only in name]
    if not names and options.only not in SNIPPETS:
        raise UsageError(f"no row has {options.only!r} in its name; the rows: {', '.join(stock.names)}")
    scratch = Worker("-m", "scratch")
    print(f"{'':34}{'torch':>12}{'scratch':>12}{'ratio':>8}   (lowest and highest pair)")
    found = []
    for name in names:
        row = time_row(name, stock, scratch, options.rounds)
        found.append(row)
        times = f"{row['torch']:9,.0f} ns{row['scratch']:9,.0f} ns"
        print(f"{name:34}{times}{row['ratio']:8.2f}   ({row['low']:.2f} to {row['high']:.2f})", flush=True)
    if found:
        print(f"{'geometric mean':58}{statistics.geometric_mean(row['ratio'] for row in found):8.2f}")
    scaling = [] if options.only else time_scaling(stock, scratch)
    start = {} if options.only else time_start()
    stock.end()
    scratch.end()
    if options.record:
        write_record(root, found, scaling, start)
    if options.only in SNIPPETS:
        time_snippets()
    return 0


if __name__ == "__main__":
    work()
