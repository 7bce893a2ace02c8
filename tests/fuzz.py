"""Drive PyTorch's Module and ours through the same random programs, and compare all that can be seen after each step.

    python tests/fuzz.py --minutes 30            new programs until the time is over: `make fuzz MINUTES=30`
    python tests/fuzz.py --minutes 1 --seed 7    from a seed on, to see the same programs again
    python tests/fuzz.py --module mine.py        with a Module of yours in the place of ours

A program is a list of statements in plain PyTorch, which fuzz_statements.py writes. Two workers (fuzz_worker.py) run
it, one on each Module. The first difference ends the run: the program is made as short as it goes, and is printed so
that it can be pasted and run on both.
"""

import argparse
import ast
import collections
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from fuzz_statements import Step, Writer

ROOT = Path(__file__).parent.parent
WORKER = ROOT / "tests" / "fuzz_worker.py"
OPENING = ROOT / "tests" / "fuzz_opening.py"
BATCH = 40  # programs in a message
STEPS = 30  # statements in a program
TOO_SLOW = ["died", signal.SIGPROF.value]  # a step has only so long, and two workers may not agree on what is too long
# Endless recursion ends in a RecursionError or in a crash, as the stack of C happens to be filled.
OVER = (["over"], ["died", signal.SIGSEGV.value])


@dataclass
class Difference:
    """A program after which the two Modules differ, an expression that shows it, and its two values."""

    steps: list[Step]
    place: str
    theirs: object
    ours: object


@dataclass
class Figures:
    """What was compared: programs, statements by kind and by what they raised, and programs without an end."""

    programs: int = 0
    steps: int = 0
    slow: int = 0
    cut: int = 0
    kinds: collections.Counter = field(default_factory=collections.Counter)
    raised: collections.Counter = field(default_factory=collections.Counter)

    def count(self, step, raised):
        """Take a step, which is the same on both, into the figures."""
        self.steps += 1
        self.kinds[step.kind] += 1
        if raised:
            self.raised[raised] += 1


class Worker:
    """A process that runs programs on one of the two Modules."""

    def __init__(self, command, folder=ROOT):
        environment = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl+C is for the driver, which shows the figures then
        )

    def send(self, request):
        """Send a batch; the answers are read later, so that both workers are at it at the same time."""
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.gone()

    def gone(self):
        """Say how the process ended."""
        raise RuntimeError(f"the worker {self.process.args} has ended with {self.process.wait()}")

    def receive(self):
        """Read one answer."""
        return json.loads(self.process.stdout.readline() or self.gone())

    def ask(self, request):
        """Send a batch, and wait for the answers."""
        self.send(request)
        return self.receive()

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Pair:
    """The two workers, and what they have been through together."""

    def __init__(self, folder=ROOT, options=()):
        stock = [sys.executable, str(WORKER)]
        self.workers = [Worker(stock), Worker([sys.executable, "-m", "scratch", *options, str(WORKER)], folder)]
        self.mutant = None  # a text in our file and another to be in its place: to see whether that is found out
        self.told = theirs, ours = [worker.receive() for worker in self.workers]
        self.surplus = sorted(set(theirs["names"]) ^ set(ours["names"]))
        self.tables = [table for table in theirs["tables"] if table in ours["tables"]]

    def request(self, programs, show=False):
        """Write programs as what a worker reads."""
        programs = [[[step.code, step.otherwise] for step in steps] for steps in programs]
        return {"programs": programs, "show": show, "mutant": None, "surplus": self.surplus, "tables": self.tables}

    def send(self, programs, show=False):
        """Send programs to both."""
        request = self.request(programs, show)
        self.workers[0].send(request)
        self.workers[1].send({**request, "mutant": self.mutant})

    def answers(self, programs, show=False):
        """Run programs on both; give for each Module the answers, program by program and step by step."""
        self.send(programs, show)
        return [worker.receive() for worker in self.workers]

    def first_difference(self, programs):
        """Run programs on both, outside the figures; return the first difference, or None."""
        return self.compared(programs, *self.answers(programs), Figures())

    def compared(self, programs, theirs, ours, figures):
        """Compare answers and count them; return the first difference, or None."""
        for steps, one, other in zip(programs, theirs, ours, strict=True):
            figures.programs += 1
            if TOO_SLOW in (one[-1], other[-1]):
                figures.slow += 1
                continue
            for at, (answer, counterpart) in enumerate(zip(one, other, strict=False)):
                if answer in OVER and counterpart in OVER:
                    break
                if answer != counterpart:
                    return self.difference(steps[: at + 1])
                if answer[0] != "died":
                    figures.count(steps[at], answer[0])
            figures.cut += len(one) < len(steps) or one[-1][0] in ("over", "died")
        return None

    def difference(self, steps):
        """Find the first thing that differs in a program: an expression and its two values."""
        (theirs,), (ours,) = self.answers([steps], show=True)
        for at, (one, other) in enumerate(zip(theirs, ours, strict=False)):
            known = [replace(step, raised=answer[0]) for step, answer in zip(steps, theirs, strict=False)][: at + 1]
            if isinstance(one[-1], list) and isinstance(other[-1], list):
                for (place, value), (_, counterpart) in zip(one[-1], other[-1], strict=False):
                    if value != counterpart:
                        known[-1].raised = one[0] or other[0]
                        return Difference(known, place, *narrowed(value, counterpart))
                if len(one[-1]) != len(other[-1]):
                    return Difference(known, "how much there is to see", len(one[-1]), len(other[-1]))
            elif one != other:
                return Difference(known, "what became of the process", one, other)
        return Difference(steps, "nothing, by itself: it takes the programs before it", None, None)

    def close(self):
        for worker in self.workers:
            worker.close()


def narrowed(theirs, ours):
    """Leave out of two nested lists what is the same at the head and at the end."""
    while isinstance(theirs, list) and isinstance(ours, list) and theirs and ours and len(theirs) == len(ours):
        unequal = [at for at, pair in enumerate(zip(theirs, ours, strict=True)) if pair[0] != pair[1]]
        if len(unequal) != 1:
            break
        theirs, ours = theirs[unequal[0]], ours[unequal[0]]
    return theirs, ours


# --- the shortest program with a difference, as a text to paste -------------------------------------------------------


def shortest(pair, found):
    """Leave out statements, then parts of them, as long as there still is a difference."""
    size = len(found.steps) // 2
    while size and len(found.steps) > 1:
        starts = range(0, len(found.steps), size)
        better = pair.first_difference([found.steps[:at] + found.steps[at + size :] for at in starts][::-1])
        found, size = (better, max(1, min(size, len(better.steps) // 2))) if better else (found, size // 2)
    better = found
    while better:
        found = better
        programs = [
            [*found.steps[:at], replace(step, code=code), *found.steps[at + 1 :]]
            for at, step in enumerate(found.steps)
            for code in simpler(step.code)
        ]
        better = pair.first_difference(sorted(programs, key=lambda steps: sum(len(step.code) for step in steps)))
    return found


def simpler(code):
    """Return the statements that are left when one argument or one part of a list is left out, or a tree is a leaf."""
    found, tree = [code.replace("tree()", "Net()")] if "tree()" in code else [], ast.parse(code)
    for node in ast.walk(tree):
        for parts in [getattr(node, name, None) for name in ("args", "keywords", "elts")]:
            for at in range(len(parts) if isinstance(parts, list) else 0):
                part = parts.pop(at)
                found.append(ast.unparse(tree))
                parts.insert(at, part)
    return found


def needed_of_opening(statements):
    """Return those parts of the opening that the statements name, and those that these name."""
    nodes = ast.parse(OPENING.read_text(encoding="utf-8")).body[1:]
    names = {at: set(binds(node)) for at, node in enumerate(nodes)}
    wanted = {name.id for name in ast.walk(ast.parse("\n".join(statements))) if isinstance(name, ast.Name)} | {"log"}
    always = {at for at, node in enumerate(nodes) if isinstance(node, ast.Expr)}
    while True:
        kept = always | {at for at in names if names[at] & wanted}
        more = {name.id for at in kept for name in ast.walk(nodes[at]) if isinstance(name, ast.Name)}
        if more <= wanted:
            return [nodes[at] for at in sorted(kept)]
        wanted |= more


def binds(node):
    """Name what a statement of the opening defines."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []


def as_program(found):
    """Write a difference as a program that prints, at its end, what differs."""
    steps, place = found.steps, found.place
    lines = []
    for node in needed_of_opening([step.code for step in steps]):
        gap = ["", ""] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
        lines += [*gap, ast.unparse(node)]
    lines += ["", ""]
    for step in steps:
        if step.raised or (step is steps[-1] and place == "error"):
            lines += ["try:", f"    {step.code}", "except BaseException as error:"]
            lines += ["    print(type(error).__name__, error)", *([f"    {step.otherwise}"] if step.otherwise else [])]
        else:
            lines.append(step.code)
    if place not in ("error", "warnings") and " " not in place.split(")")[0]:
        shown = "log" if place.startswith("log") else place
        metadata = f", getattr({shown}, '_metadata', None)" if "state_dict" in shown or shown[0] == "s" else ""
        lines.append(f"print({shown}{metadata})")
    found = [
        f"# what differs: {place}",
        f"# torch.nn: {json.dumps(found.theirs)}",
        f"# scratch:  {json.dumps(found.ours)}",
    ]
    return "\n".join([*lines, "", *found, ""])


# --- running --------------------------------------------------------------------------------------------------------


def search(pair, seeds, figures, steps=STEPS, until=None):
    """Run the programs of some seeds, a batch at a time, and yield each difference; at most one a batch."""
    seeds, waiting = iter(seeds), None
    while True:
        late = until is not None and time.monotonic() > until
        programs = [] if late else [Writer(seed).program(steps) for seed in itertools.islice(seeds, BATCH)]
        if waiting:  # the batch before: it ran while this one was written
            found = pair.compared(waiting, *(worker.receive() for worker in pair.workers), figures)
            if found:
                yield shortest(pair, found)
        if not programs:
            return
        pair.send(programs)
        waiting = programs


def summary(figures, seconds, differences):
    """Say what has been compared."""
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in figures.kinds.most_common())
    errors = ", ".join(f"{kind} {count:,}" for kind, count in figures.raised.most_common(12))
    found = f"in {seconds / 60:.1f} minutes: {differences} difference{'s' * (differences != 1)}"
    return "\n".join(
        [
            f"{figures.programs:,} programs, {figures.steps:,} statements compared {found}",
            f"by kind: {kinds}",
            f"{sum(figures.raised.values()):,} statements raised, the same on both: {errors}",
            f"ended early: {figures.cut:,} programs by endless recursion or a crash, {figures.slow} by the clock",
        ]
    )


def main():
    """Run until the time is over or something differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=None, help="where to begin; by default at random")
    parser.add_argument("--steps", type=int, default=STEPS, help=f"statements in a program; by default {STEPS}")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the folder whose scratch/ is run; by default this one")
    parser.add_argument("--module", type=Path, help="a file that defines the Module to compare; by default ours")
    parser.add_argument("--all", action="store_true", help="go on after a difference, until the time is over")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    pair = Pair(options.tree, ["--module", str(options.module.resolve())] if options.module else ())
    start = time.monotonic()
    print(f"torch {pair.told[0]['torch']}, from seed {seed} on")
    print(f"torch.nn: {pair.told[0]['origin']}\nscratch:  {pair.told[1]['origin']}", flush=True)
    figures, differences = Figures(), 0
    try:
        for found in search(pair, range(seed, sys.maxsize), figures, options.steps, start + 60 * options.minutes):
            differences += 1
            print(f"\nThe two Modules differ after this program:\n\n{as_program(found)}", flush=True)
            if not options.all:
                break
    except KeyboardInterrupt:
        print("interrupted")
    print(summary(figures, time.monotonic() - start, differences))
    pair.close()
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
