"""The command line: python -m literate COMMAND."""

import argparse
import datetime
import difflib
import platform
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from literate.course.pieces import catalogue as pieces
from literate.reading.pages import LANGUAGES, Page, PageError, Snippet, errors, language_of, read_site, snippets
from literate.running import judge as outputs
from literate.running import record
from literate.running.run import PREFIX, Result, Run, Runner, ServerError
from literate.translating import compare as translations
from literate.writing.extract import MODULE, PAGES, RECORD, Drift, drift, extract, replace_files

DESCRIPTION = """\
The pages under docs/en and docs/zh hold programs, and show what they print. This tool keeps that true.

  extract   write each program of the pages to its own file under snippets/
  run       run the programs, on PyTorch's Module and on ours, and compare with the outputs that the pages show
  update    run them, and write what they print into the pages; record the interactive pieces
  check     say where pages, snippets/ and the record of runs disagree; change nothing
  labs      run the notebooks under docs/en/labs on both Modules, and compare what they print
  translations  say where a Chinese page isn't as its English one, or is behind it; note that it is up to date
  draw      draw the pictures of the pages
  site      build the site of both languages
  serve     serve the site, and run what changes
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


class UsageError(Exception):
    """Say what was asked for that isn't there."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return the exit status: 0 only if all is well."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    # These need more than the standard library, so they are imported only where they are asked for.
    if arguments[:1] == ["draw"]:
        from literate.course.pictures import drawing as pictures

        return pictures.main(arguments[1:]) or 0
    if arguments[:1] == ["labs"]:
        from literate.course.labs import running as labs

        return labs.main(arguments[1:])
    if arguments[:1] == ["site"]:
        from literate.site import building as site

        return site.main(arguments[1:])
    if arguments[:1] == ["translations"]:
        return translations.main(arguments[1:])
    if arguments[:1] == ["serve"]:
        from literate.site import serving as serve

        return serve.main(arguments[1:]) or 0
    options = parser().parse_args(arguments)
    try:
        return options.command(options, find_root())
    except (UsageError, ServerError, record.RecordError, pieces.PieceError) as error:
        print(f"python -m literate: {error}", file=sys.stderr)
        return 2
    except PageError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:  # a file that may not be read or written, a full disk
        print(f"python -m literate: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="python -m literate",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, command: object, text: str) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        one.set_defaults(command=command)
        return one

    one = add("extract", extract_command, "write each program of the pages to its own file under snippets/")
    one.add_argument("what", nargs="*", metavar="PAGE", help="only these pages (tree, or docs/en/tree.md)")
    for name, command, text in (
        ("run", run_command, "run the programs on both Modules and compare with the outputs that the pages show"),
        ("update", update_command, "run the programs on both Modules and write what they print into the pages"),
    ):
        one = add(name, command, text)
        one.add_argument("what", nargs="*", metavar="WHAT", help=WHAT)
        one.add_argument("--page", action="append", default=[], metavar="PAGE", help="only this page (repeatable)")
        one.add_argument("--name", action="append", default=[], metavar="NAME", help="only this snippet (repeatable)")
        one.add_argument("--timeout", type=seconds, default=60, metavar="SECONDS", help="limit for each program (60)")
        one.add_argument("--jobs", type=jobs, metavar="N", help="how many run at a time (one a core)")
        if name == "run":
            one.add_argument("--module", choices=("torch", "scratch", "both"), default="both", help="(both)")
            one.add_argument("--device", choices=("cpu", "cuda", "auto"), default="auto", help="(auto: what is there)")
            one.add_argument("--record", action="store_true", help="note what went well in snippets/record.json")
    add("check", check_command, "say where pages, snippets/ and the record of runs disagree; change nothing")
    commands.add_parser("labs", help="run the notebooks under docs/en/labs on both Modules, and compare")
    commands.add_parser("translations", help="say where a Chinese page isn't as its English one, or is behind it")
    commands.add_parser("draw", help="draw the pictures of the pages")
    commands.add_parser("site", help="build the site of both languages")
    commands.add_parser("serve", help="serve the site, and run what changes")
    return top


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


def find_root() -> Path:
    """Return the repository that the working folder is in."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / PAGES).is_dir():
            return folder
    raise UsageError(f"no folder {PAGES.as_posix()} here or above: run this in the repository")


# Commands


def extract_command(options: argparse.Namespace, root: Path) -> int:
    """Write each program to its own file."""
    pages = read_site(root)
    chosen, _ = choose(pages, options.what, options.what, [])
    if refuse(chosen):
        return 1
    changes = extract(chosen, root, whole=chosen == pages)
    tell_changes(changes)
    print(f"{count(len(snippets(chosen)), 'snippet')} extracted, {count(len(changes), 'file')} changed")
    return 0


def run_command(options: argparse.Namespace, root: Path) -> int:
    """Run the matrix, report, and note it if asked."""
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
    failures = {path: found for path, group in results.items() if (found := outputs.failure(group))}
    if failures:
        print(outputs.report(failures.values()))
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
    pages = read_site(root)
    chosen, programs = choose(pages, options.what, options.page, options.name)
    if refuse(chosen):
        return 1
    with Runner(root, tuple(PREFIX), options.jobs, options.timeout, len(programs) > 9) as runner:
        results = run_matrix(runner, programs, ("cpu",))
    failures = [found for group in results.values() if (found := outputs.failure(group, shown=False))]
    if failures:
        print(outputs.report(failures))
        print(f"nothing is updated: {len(failures)} of {count(len(results), 'snippet')} fail")
        return 1
    changes = outputs.update(chosen, root, {path: group[0].stdout for path, group in results.items()}, chosen == pages)
    tell_changes(changes)
    of_pieces = pieces.update(chosen, root)
    for path in of_pieces:
        print(f"recorded {path.as_posix()}")
    print(f"{count(len(results), 'snippet')} run, {count(len(changes) + len(of_pieces), 'file')} changed")
    return 0


def check_command(options: argparse.Namespace, root: Path) -> int:
    """Say what disagrees."""
    pages = read_site(root)
    if refuse(pages):
        return 1
    programs = snippets(pages)
    if not programs:
        raise UsageError(f"no snippet on any page under {PAGES.as_posix()}")
    drifts = drift(pages, root)
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
    late = translations.problems(root, translations.pairs(root))
    if late:
        print("\n".join(map(str, late)))
        print(f"{count(len(late), 'problem')} with translations\n")
    other = pieces.problems(pages, root)
    if other:
        print("\n".join(other))
        print(f"{count(len(other), 'piece')} not recorded as things are now; mend: python -m literate update\n")
    if drifts or missing or late or other:
        return 1
    print(f"{count(len(pages), 'page')}, {count(len(programs), 'snippet')}: all is well")
    return 0


# What the commands share


def choose(
    pages: list[Page], what: Sequence[str], page_names: Sequence[str], names: Sequence[str]
) -> tuple[list[Page], list[Snippet]]:
    """Return the pages and snippets asked for; those on the command line may be either."""
    by_name: dict[str, list[Snippet]] = {}
    for snippet in snippets(pages):
        by_name.setdefault(snippet.name, []).append(snippet)
    if not (what or page_names or names):
        found = snippets(pages)
        if not found and not errors(pages):
            raise UsageError(f"no snippet on any page under {PAGES.as_posix()}")
        return pages, found
    chosen: list[Snippet] = []
    of_pages: list[Page] = []
    for item in dict.fromkeys([*what, *page_names, *names]):
        plain = Path(item).stem if item.endswith((".md", ".py", ".out")) else item
        meant = [page for page in pages if is_meant(item, page.path)]
        matching = [page for page in meant if page.path.stem == plain] if item not in names else []
        if matching:
            of_pages += matching
            chosen += snippets(matching)
        elif (found := [one for one in by_name.get(plain, []) if is_meant(item, one.page)]) and item not in page_names:
            of_pages += [page for page in pages if any(one in page.snippets for one in found)]
            chosen += found
        else:
            stems = [*dict.fromkeys(page.path.stem for page in meant)] * (item not in names)
            known = stems + [*by_name] * (item not in page_names)
            close = [name for name in known if plain in name] or difflib.get_close_matches(plain, known, 3)
            hint = f"did you mean {' or '.join(close[:3])}" if close else f"the pages are {', '.join(stems)}"
            raise UsageError(f"no page or snippet is called {item}: {hint}")
    if not chosen and not errors(of_pages):
        raise UsageError(f"no snippet on {' and '.join(page.path.as_posix() for page in of_pages)}")
    return [page for page in pages if page in of_pages], list({one.path(): one for one in chosen}.values())


def is_meant(item: str, page: Path) -> bool:
    """Return whether what was asked for can be this page, or on it: a path says which language, a name is of all."""
    parts = Path(item).parts
    language = next((name for name in LANGUAGES if name in parts), LANGUAGES[0])
    return len(parts) == 1 or language_of(page) == language


def refuse(pages: Iterable[Page]) -> bool:
    """Print the errors of pages, and return whether there are any."""
    found = errors(pages)
    for error in found:
        print(error, file=sys.stderr)
    if found:
        print(f"{count(len(found), 'error')} in the pages: nothing is done", file=sys.stderr)
    return bool(found)


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
    return {path: outputs.in_order(group) for path, group in results.items()}


def digest_of_module(root: Path) -> str:
    """Return the digest of scratch/module.py, without which no run means anything."""
    if not (root / MODULE).is_file():
        raise UsageError(f"there is no {MODULE.as_posix()}, on which the snippets are to run")
    return record.digest((root / MODULE).read_bytes())


def note(
    known: record.Record, results: Iterable[Result], names: dict[str, str], pages: Sequence[Page], root: Path
) -> None:
    """Write what went well into the record."""
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
