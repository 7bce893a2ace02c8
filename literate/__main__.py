"""The command line: python -m literate COMMAND.

What a command needs is imported when it is called: `run` needs torch and the standard library only.
"""

import argparse
import difflib
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from literate.reading.choosing import choose
from literate.reading.files import Drift
from literate.reading.pages import Page, PageError, errors, read_site, snippets
from literate.reading.repository import LANGUAGES, PAGES, RECORD, UsageError, find_root

DESCRIPTION = """\
The pages under docs/en and docs/zh hold programs, and show what they print. This tool keeps that true. It works from
any folder of the repository.
"""
EXAMPLES = """\
examples:
  python -m literate run                                everything, on both Modules
  python -m literate run registration                   the snippets of docs/en/registration.md
  python -m literate run tied-weights-are-one-parameter --module scratch
  python -m literate run --record                       everything, and note it for the badges
  python -m literate update tree                        after you have edited docs/en/tree.md
  python -m literate check                              before you commit
  python -m literate COMMAND --help                     the options of a command
"""
WHAT = "pages (tree, or docs/en/tree.md) or names of snippets; everything unless given"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return the exit status: 0 only if all is well."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    options = parser().parse_args(arguments)
    try:
        return options.command(options, find_root())
    except PageError as error:
        print(error, file=sys.stderr)
        return 1
    except (UsageError, OSError) as error:  # also a file that may not be read or written, a full disk
        print(f"python -m literate: {error}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        print(f"python -m literate: {error}; `make venv` installs what all commands need", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


Command = Callable[[argparse.Namespace, Path], int]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser("python -m literate", description=DESCRIPTION, epilog=EXAMPLES, formatter_class=raw)
    commands = top.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, command: Command, text: str) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        one.set_defaults(command=command)
        return one

    one = add("extract", extract_command, "write each program of the pages to its own file under snippets/")
    one.add_argument("what", nargs="*", metavar="PAGE", help="only these pages (tree, or docs/en/tree.md)")
    one = add("run", run_command, "run the programs on both Modules and compare with the outputs that the pages show")
    choosing(one)
    one.add_argument("--module", choices=("torch", "scratch", "both"), default="both", help="(both)")
    one.add_argument("--device", choices=("cpu", "cuda", "auto"), default="auto", help="(auto: what is there)")
    one.add_argument("--record", action="store_true", help="note what went well in snippets/record.json")
    one = add("update", update_command, "run the programs and write what they print into the pages; record the pieces")
    choosing(one)
    add("check", check_command, "say where pages, snippets/ and the record of runs disagree; change nothing")
    one = add("labs", labs_command, "run the notebooks under docs/en/labs on both Modules, and compare what they print")
    one.add_argument("names", nargs="*", metavar="LAB", help="only these labs (train-it-twice, or its path)")
    one.add_argument("--cells", metavar="PATH", help=argparse.SUPPRESS)
    text = "say where a Chinese page isn't as its English one, or is behind it; note that it is up to date"
    one = add("translations", translations_command, text)
    one.add_argument("what", choices=("slugs", "check", "stamp"), help="print anchors, compare, or note")
    one.add_argument("pages", nargs="*", metavar="PAGE", help="only these (tree, docs/zh/tree.md or docs/en/tree.md)")
    one = add("draw", draw_command, "draw the pictures of the pages from real objects")
    one.add_argument("names", nargs="*", metavar="NAME", help="only these pictures; all unless given")
    one.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a picture has drifted")
    one.add_argument("--language", choices=LANGUAGES, help="only in this language (all unless given)")
    one = add("bench", bench_command, "time the operations of both Modules, in turn, and print the ratios")
    one.add_argument("--rounds", type=int, default=7, help="how often each row is timed on each Module (7)")
    one.add_argument("--only", default="", metavar="TEXT", help="only the rows whose name has this in it")
    one.add_argument("--record", action="store_true", help="note it in docs/en/downloads/benchmark.json")
    one = add("site", site_command, "build the site of both languages, strictly")
    one.add_argument("--into", default="site", metavar="FOLDER", help="where the site is to lie (site)")
    offline = "also build a site to open from disk here, and its zip beside it"
    one.add_argument("--offline", default="", metavar="FOLDER", help=offline)
    one = add("serve", serve_command, "serve the site, and run what changes")
    one.add_argument("--port", type=port, default=8000, help="the port of the server's address (8000)")
    return top


def choosing(one: argparse.ArgumentParser) -> None:
    """Let a command take pages and names of snippets."""
    one.add_argument("what", nargs="*", metavar="WHAT", help=WHAT)
    one.add_argument("--page", action="append", default=[], metavar="PAGE", help="only this page (repeatable)")
    one.add_argument("--name", action="append", default=[], metavar="NAME", help="only this snippet (repeatable)")
    one.add_argument("--timeout", type=seconds, default=60, metavar="SECONDS", help="limit for each program (60)")
    one.add_argument("--jobs", type=jobs, metavar="N", help="how many run at a time (one a core)")


def seconds(text: str) -> float:
    """Return a number of seconds from the command line."""
    if not 0 < float(text) <= threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"a time in seconds is above 0 and finite, not {text}")
    return float(text)


def jobs(text: str) -> int:
    """Return a number of jobs from the command line; each takes some memory and open files."""
    if not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f"a number of jobs is from 1 to 100, not {text}")
    return int(text)


def port(text: str) -> int:
    """Return a port from the command line."""
    if not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text}")
    return int(text)


# The commands


def extract_command(options: argparse.Namespace, root: Path) -> int:
    """Write each program to its own file."""
    from literate.course import checks
    from literate.writing.extract import extract

    pages = checks.read(root)
    chosen, _ = choose(pages, options.what, options.what, [])
    if refuse(chosen):
        return 1
    whole = chosen == pages
    changes = extract(chosen, root, checks.others(chosen, root, whole), whole)
    tell_changes(changes)
    print(f"{count(len(snippets(chosen)), 'snippet')} extracted, {count(len(changes), 'file')} changed")
    return 0


def run_command(options: argparse.Namespace, root: Path) -> int:
    """Run the matrix, report, and note it if asked."""
    from literate.running import judge, record
    from literate.running.matrix import devices, note, run_matrix
    from literate.running.run import PREFIX, Runner

    pages = read_site(root)
    chosen, programs = choose(pages, options.what, options.page, options.name)
    if refuse(chosen):
        return 1
    began = time.monotonic()
    modules = tuple(PREFIX) if options.module == "both" else (options.module,)
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
        note(known, well, names, pages, root)
    where = f"{' and '.join(modules)}, {' and '.join(names)}, torch {versions}"
    verdict = f"{len(failures)} of {count(len(results), 'snippet')} fail" if failures else "all is well"
    seconds = time.monotonic() - began
    print(f"{count(len(results), 'snippet')} run on {where} in {seconds:.1f} s: {verdict}")
    return 1 if failures else 0


def update_command(options: argparse.Namespace, root: Path) -> int:
    """Run on both Modules, and write what is printed into the pages."""
    from literate.course import checks
    from literate.course.pieces import recording
    from literate.running import judge
    from literate.running.matrix import run_matrix
    from literate.running.run import PREFIX, Runner
    from literate.writing.update import update

    pages = checks.read(root)
    chosen, programs = choose(pages, options.what, options.page, options.name)
    if refuse(chosen):
        return 1
    with Runner(root, tuple(PREFIX), options.jobs, options.timeout, len(programs) > 9) as runner:
        results = run_matrix(runner, programs, ("cpu",))
    failures = [found for group in results.values() if (found := judge.failure(group, shown=False))]
    if failures:
        print(judge.report(failures))
        print(f"nothing is updated: {len(failures)} of {count(len(results), 'snippet')} fail")
        return 1
    printed, whole = {path: group[0].stdout for path, group in results.items()}, chosen == pages
    changes = update(chosen, root, printed, whole, lambda updated: checks.others(updated, root, whole))
    tell_changes(changes)
    of_pieces = recording.update(chosen, root)
    for path in of_pieces:
        print(f"recorded {path.as_posix()}")
    print(f"{count(len(results), 'snippet')} run, {count(len(changes) + len(of_pieces), 'file')} changed")
    return 0


def check_command(options: argparse.Namespace, root: Path) -> int:
    """Say what disagrees."""
    from literate.course import checks
    from literate.course.pieces import recording
    from literate.running import record
    from literate.running.matrix import digest_of_module
    from literate.running.run import PREFIX
    from literate.translating import command, pairs
    from literate.writing.extract import drift

    pages = checks.read(root)
    if refuse(pages):
        return 1
    programs = snippets(pages)
    if not programs:
        raise UsageError(f"no snippet on any page under {PAGES.as_posix()}")
    drifts = drift(pages, root, checks.others(pages, root))
    for one in drifts:
        print(difference(one))
    if drifts:
        print(f"{count(len(drifts), 'file')} not as the pages give it; mend: python -m literate extract\n")
    known, module_digest = record.load(root / RECORD), digest_of_module(root)
    missing = [
        f"{snippet.page.as_posix()}:{snippet.line}: {snippet.name} has no recorded run on {module} (cpu)"
        for snippet in programs
        for module in PREFIX
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


def labs_command(options: argparse.Namespace, root: Path) -> int:
    """Run the labs."""
    from literate.course.labs.running import run_labs

    return run_labs(options, root)


def translations_command(options: argparse.Namespace, root: Path) -> int:
    """Compare translations with their pages."""
    from literate.translating.command import translate

    return translate(options, root)


def draw_command(options: argparse.Namespace, root: Path) -> int:
    """Draw the pictures."""
    from literate.course.pictures.drawing import draw_all

    return draw_all(options, root)


def bench_command(options: argparse.Namespace, root: Path) -> int:
    """Time both Modules."""
    from literate.course.costs import time_all

    return time_all(options, root)


def site_command(options: argparse.Namespace, root: Path) -> int:
    """Build the site."""
    from literate.site.building import build_site

    return build_site(options, root)


def serve_command(options: argparse.Namespace, root: Path) -> int:
    """Serve the site."""
    from literate.site.serving import serve_site

    return serve_site(options, root)


# What they share


def refuse(pages: Iterable[Page]) -> bool:
    """Print the errors of pages, and return whether there are any."""
    found = errors(pages)
    for error in found:
        print(error, file=sys.stderr)
    if found:
        print(f"{count(len(found), 'error')} in the pages: nothing is done", file=sys.stderr)
    return bool(found)


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


def count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


if __name__ == "__main__":
    sys.exit(main())
