"""Run programs on every Module and device, and note what went well in the record."""

import argparse
import datetime
import platform
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from literate.reading.choosing import choose, count, refuse
from literate.reading.files import digest, locked, replace_files
from literate.reading.pages import Page, Snippet, errors, read_site, snippets
from literate.reading.repository import MODULE, RECORD, UsageError
from literate.running import judge, record
from literate.running.run import Result, Run, Runner


def run(options: argparse.Namespace, root: Path) -> int:
    """Run the matrix, report, and note it if asked."""
    pages = read_site(root)
    chosen, programs = choose(pages, options.what, options.page, options.name)
    if refuse(chosen):
        return 1
    began = time.monotonic()
    modules = record.MODULES if options.module == "both" else (options.module,)
    known = record.load(root / RECORD) if options.record else None
    with Runner(root, modules, options.jobs, options.timeout, len(programs) > 9) as runner:
        names = devices(runner, options.device)
        results = run_matrix(runner, programs, tuple(names))
        versions = " and ".join(dict.fromkeys(runner.torch.values()))
    failures = {path: found for path, group in results.items() if (found := judge.failure(group))}
    if failures:
        print(judge.report(failures.values()))
    if known is not None:
        well = [result for path, group in results.items() if path not in failures for result in group]
        note(well, names, pages, root)
    where = f"{' and '.join(modules)}, {' and '.join(names)}, torch {versions}"
    verdict = f"{len(failures)} of {count(len(results), 'snippet')} fail" if failures else "all is well"
    seconds = time.monotonic() - began
    print(f"{count(len(results), 'snippet')} run on {where} in {seconds:.1f} s: {verdict}")
    return 1 if failures else 0


def devices(runner: Runner, asked: str) -> dict[str, str]:
    """Return the devices to run on with their names, and say what is skipped."""
    names = {} if asked == "cuda" else {"cpu": f"{platform.system()} {platform.machine()}"}
    if asked != "cpu":
        if cuda := runner.cuda():
            names["cuda"] = cuda
        elif asked == "cuda":
            raise UsageError("torch sees no CUDA device here, so nothing can run on cuda")
        else:
            print("skipped: cuda, because torch sees no CUDA device here")
    return names


def run_matrix(runner: Runner, programs: Sequence[Snippet], on: Sequence[str]) -> dict[Path, list[Result]]:
    """Run programs on every Module and device, the same bytes once, and return the results by the programs' files."""
    same: dict[str, list[Snippet]] = {}
    for snippet in programs:
        same.setdefault(snippet.digest, []).append(snippet)
    runs = [Run(first, module, device) for first, *_ in same.values() for device in on for module in runner.modules]
    results: dict[Path, list[Result]] = {snippet.path(): [] for snippet in programs}
    progress = Progress(len(runs))
    for result in runner.run(runs):
        for snippet in same[result.run.snippet.digest]:
            results[snippet.path()].append(replace(result, run=replace(result.run, snippet=snippet)))
        progress.advance(result.run.snippet.name)
    progress.clear()
    return {path: judge.in_order(group) for path, group in results.items()}


def digest_of_module(root: Path) -> str:
    """Return the digest of scratch/module.py, without which no run means anything."""
    if not (root / MODULE).is_file():
        raise UsageError(f"there is no {MODULE.as_posix()}, on which the snippets are to run")
    return digest((root / MODULE).read_bytes())


def note(results: Iterable[Result], names: dict[str, str], pages: Sequence[Page], root: Path) -> None:
    """Write what went well into the record, beside what another run may have written meanwhile."""
    with locked(root, "record"):
        add_to_record(record.load(root / RECORD), results, names, pages, root)


def add_to_record(
    known: record.Record, results: Iterable[Result], names: dict[str, str], pages: Sequence[Page], root: Path
) -> None:
    """Add runs to a record, and write it."""
    module_digest = digest_of_module(root)
    today = datetime.date.today().isoformat()
    for result in results:
        run, snippet = result.run, result.run.snippet
        digests = (snippet.digest, module_digest)
        entry = (snippet.name, run.module, run.device, *digests, result.torch, names[run.device], today)
        known.add(record.Entry(*entry))
    if not errors(pages):
        known.keep_only((snippet.digest for snippet in snippets(pages)), module_digest)
    replace_files(root, {RECORD: known.text().encode()})


class Progress:
    """Draw a bar on a terminal, for what takes over a second."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.began = total, 0, time.monotonic()
        self.width = 0

    def advance(self, name: str) -> None:
        """Count one more, and draw."""
        self.done += 1
        if sys.stderr.isatty() and time.monotonic() > self.began + 1:
            filled = 30 * self.done // self.total
            bar = f"[{'#' * filled}{'.' * (30 - filled)}] {self.done}/{self.total} {name[:40]}"
            self.width, padding = len(bar), " " * (self.width - len(bar))
            print(f"\r{bar}{padding}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the bar."""
        if self.width:
            print(f"\r{' ' * self.width}\r", end="", file=sys.stderr, flush=True)
