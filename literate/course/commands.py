"""The commands that know the course: write its files, update its pages, check all of it."""

import argparse
import difflib
from collections.abc import Iterable
from pathlib import Path

from literate.course import checks
from literate.course.pieces import recording
from literate.reading.choosing import choose, count, refuse
from literate.reading.files import Drift
from literate.reading.pages import snippets
from literate.reading.repository import PAGES, RECORD, UsageError
from literate.running import judge, record
from literate.running.matrix import digest_of_module, run_matrix
from literate.running.run import Runner
from literate.translating import command, pairs
from literate.writing import extract as files
from literate.writing.update import update as write


def extract(options: argparse.Namespace, root: Path) -> int:
    """Write each program to its own file."""
    pages = checks.read(root)
    chosen, _ = choose(pages, options.what, options.what, [])
    if refuse(chosen):
        return 1
    whole = chosen == pages
    changes = files.extract(chosen, root, checks.others(chosen, root, whole), whole)
    tell_changes(changes)
    print(f"{count(len(snippets(chosen)), 'snippet')} extracted, {count(len(changes), 'file')} changed")
    return 0


def update(options: argparse.Namespace, root: Path) -> int:
    """Run on both Modules, and write what is printed into the pages."""
    pages = checks.read(root)
    chosen, programs = choose(pages, options.what, options.page, options.name)
    if refuse(chosen):
        return 1
    with Runner(root, record.MODULES, options.jobs, options.timeout, len(programs) > 9) as runner:
        results = run_matrix(runner, programs, ("cpu",))
    failures = [found for group in results.values() if (found := judge.failure(group, shown=False))]
    if failures:
        print(judge.report(failures))
        print(f"nothing is updated: {len(failures)} of {count(len(results), 'snippet')} fail")
        return 1
    printed, whole = {path: group[0].stdout for path, group in results.items()}, chosen == pages
    changes = write(chosen, root, printed, whole, lambda updated: checks.others(updated, root, whole))
    tell_changes(changes)
    of_pieces = recording.update(chosen, root)
    for path in of_pieces:
        print(f"recorded {path.as_posix()}")
    print(f"{count(len(results), 'snippet')} run, {count(len(changes) + len(of_pieces), 'file')} changed")
    return 0


def check(options: argparse.Namespace, root: Path) -> int:
    """Say what disagrees."""
    pages = checks.read(root)
    if refuse(pages):
        return 1
    programs = snippets(pages)
    if not programs:
        raise UsageError(f"no snippet on any page under {PAGES.as_posix()}")
    drifts = files.drift(pages, root, checks.others(pages, root))
    for one in drifts:
        print(difference(one))
    if drifts:
        print(f"{count(len(drifts), 'file')} not as the pages give it; mend: python -m literate extract\n")
    known, module_digest = record.load(root / RECORD), digest_of_module(root)
    missing = [
        f"{snippet.page.as_posix()}:{snippet.line}: {snippet.name} has no recorded run on {module} (cpu)"
        for snippet in programs
        for module in record.MODULES
        if not any(
            (entry["module"], entry["device"]) == (module, "cpu")
            for entry in known.entries_for(snippet.digest, module_digest)
        )
    ]
    if missing:
        print("\n".join(missing))
        print(f"{count(len(missing), 'run')} not recorded as things are now; mend: python -m literate run --record\n")
    late = command.problems(root, pairs.pairs(root))
    if late:
        print("\n".join(map(str, late)))
        print(f"{count(len(late), 'problem')} with translations\n")
    other = recording.problems(pages, root)
    if other:
        print("\n".join(other))
        print(f"{count(len(other), 'piece')} not recorded as things are now; mend: python -m literate update\n")
    if drifts or missing or late or other:
        return 1
    print(f"{count(len(pages), 'page')}, {count(len(programs), 'snippet')}: all is well")
    return 0


def tell_changes(changes: Iterable[Drift]) -> None:
    """Print which files were written and removed."""
    for one in changes:
        what = "removed" if one.wanted is None else "changed" if one.found is not None else "new"
        print(f"{what:8}{one.path.as_posix()}")


def difference(one: Drift) -> str:
    """Return how a generated file differs from what the pages give."""
    path = one.path.as_posix()
    if one.wanted is None:
        return f"{path}: no page gives this file"
    if one.found is None:
        return f"{path}: missing"
    found, wanted = (data.decode(errors="replace").split("\n") for data in (one.found, one.wanted))
    lines = difflib.unified_diff(found, wanted, path, f"{path} as the pages give it", lineterm="")
    return f"{path}: not as the pages give it\n" + "\n".join(lines)
