"""The command line: python -m literate COMMAND.

What a command needs is imported when it is called: `run` needs torch and the standard library only.
"""

import argparse
import importlib
import os
import signal
import sys
import threading
from collections.abc import Sequence

from literate.reading.pages import PageError
from literate.reading.repository import LANGUAGES, UsageError, find_root

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
        room, _, handler = options.handler.partition(":")
        return getattr(importlib.import_module(f"literate.{room}"), handler)(options, find_root())
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


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    raw = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser("python -m literate", description=DESCRIPTION, epilog=EXAMPLES, formatter_class=raw)
    commands = top.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, handler: str, text: str) -> argparse.ArgumentParser:
        one = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        one.set_defaults(handler=handler)
        return one

    one = add("extract", "course.commands:extract", "write each program of the pages to its own file under snippets/")
    one.add_argument("what", nargs="*", metavar="PAGE", help="only these pages (tree, or docs/en/tree.md)")
    one = add(
        "run", "running.matrix:run", "run the programs on both Modules and compare with the outputs that the pages show"
    )
    choosing(one)
    one.add_argument("--module", choices=("torch", "scratch", "both"), default="both", help="(both)")
    one.add_argument("--device", choices=("cpu", "cuda", "auto"), default="auto", help="(auto: what is there)")
    one.add_argument("--record", action="store_true", help="note what went well in snippets/record.json")
    one = add(
        "update",
        "course.commands:update",
        "run the programs and write what they print into the pages; record the pieces",
    )
    choosing(one)
    add("check", "course.commands:check", "say where pages, snippets/ and the record of runs disagree; change nothing")
    one = add(
        "labs",
        "course.labs.running:run_labs",
        "run the notebooks under docs/en/labs on both Modules, and compare what they print",
    )
    one.add_argument("names", nargs="*", metavar="LAB", help="only these labs (train-it-twice, or its path)")
    one.add_argument("--cells", metavar="PATH", help=argparse.SUPPRESS)
    text = "say where a Chinese page isn't as its English one, or is behind it; note that it is up to date"
    one = add("translations", "translating.command:translate", text)
    one.add_argument("what", choices=("slugs", "check", "stamp"), help="print anchors, compare, or note")
    one.add_argument("pages", nargs="*", metavar="PAGE", help="only these (tree, docs/zh/tree.md or docs/en/tree.md)")
    one = add("draw", "course.pictures.drawing:draw_all", "draw the pictures of the pages from real objects")
    one.add_argument("names", nargs="*", metavar="NAME", help="only these pictures; all unless given")
    one.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a picture has drifted")
    one.add_argument("--language", choices=LANGUAGES, help="only in this language (all unless given)")
    one = add("bench", "course.costs:time_all", "time the operations of both Modules, in turn, and print the ratios")
    one.add_argument("--rounds", type=int, default=7, help="how often each row is timed on each Module (7)")
    one.add_argument("--only", default="", metavar="TEXT", help="only the rows whose name has this in it")
    one.add_argument("--record", action="store_true", help="note it in docs/en/downloads/benchmark.json")
    one = add("practise", "course.practice.grading:practise", "write parts of the Module yourself, graded by PyTorch")
    one.add_argument("page", nargs="?", metavar="PAGE", help="the chapter (registration)")
    one.add_argument("--check", action="store_true", help="grade practice/module.py, and show what is wrong first")
    one.add_argument("--hint", action="store_true", help="grade, and give the next hint")
    one.add_argument("--watch", action="store_true", help="grade at each save")
    one.add_argument(
        "--all", action="store_true", help="show what runs on practice/module.py, of all chapters and tests"
    )
    one.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help="of the tasks and reports (en)")
    one = add("site", "site.building:build_site", "build the site of both languages, strictly")
    one.add_argument("--into", default="site", metavar="FOLDER", help="where the site is to lie (site)")
    offline = "also build a site to open from disk here, and its zip beside it"
    one.add_argument("--offline", default="", metavar="FOLDER", help=offline)
    one = add("serve", "site.serving:serve_site", "serve the site, and run what changes")
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


def leave(number: int, frame: object) -> None:
    """Leave as after Ctrl-C where a signal would end the process at once, so that nothing stays behind."""
    sys.exit(128 + number)


if __name__ == "__main__":
    if sys.getfilesystemencoding().lower() not in ("utf-8", "utf8"):  # pages may have any name
        os.execv(sys.executable, [sys.executable, "-X", "utf8", "-m", "literate", *sys.argv[1:]])
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # under nohup it is ignored, and stays so
            signal.signal(number, leave)
    sys.exit(main())
