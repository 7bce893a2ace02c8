"""Judge what snippets printed against what the pages show."""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from literate.reading.text import unshowable
from literate.running.run import Result

FRAME = re.compile(r'(?P<indent>[ |+]*)File "(?P<path>[^"]+)", line (?P<line>\d+)')


@dataclass(frozen=True)
class Failure:
    """Hold what is wrong with one snippet, as text for a terminal."""

    page: Path
    line: int
    differs: bool  # torch and scratch do
    text: str


def failure(results: Sequence[Result], shown: bool = True) -> Failure | None:
    """Return what is wrong with a snippet, given its runs, or None where all is well.

    Args:
        shown: compare with the output that the page shows.
    """
    results = in_order(results)
    snippet = results[0].run.snippet
    blocks = [text for device in dict.fromkeys(r.run.device for r in results) if (text := _difference(results, device))]
    differs = bool(blocks)
    line = None
    for outcome in dict.fromkeys(map(_outcome, results)):
        same = [result for result in results if _outcome(result) == outcome]
        found = _trouble(same) if same[0].trouble else _mismatch(same) if shown else None
        if found:
            line = line or found[0]
            blocks.append(found[1])
    if not blocks:
        return None
    line = line or snippet.line
    return Failure(snippet.page, line, differs, "\n".join(blocks))


def in_order(results: Iterable[Result]) -> list[Result]:
    """Return results with cpu before cuda, and torch before scratch."""
    return sorted(results, key=lambda result: (result.run.device != "cpu", result.run.module != "torch"))


def report(failures: Iterable[Failure]) -> str:
    """Return the text of all failures, first those where torch and scratch differ."""
    ordered = sorted(failures, key=lambda failure: (not failure.differs, failure.page.as_posix(), failure.line))
    return "\n".join(failure.text for failure in ordered)


def _outcome(result: Result) -> tuple[str, int, str, str]:
    """Return how a run ended, what it printed, and the error that it ended with."""
    error = ""
    if result.ended == "exit" and result.status:
        frames = re.split(rf"{FRAME.pattern}.*\n(?:    .*\n)*", cut_traceback(result)[0] + "\n")
        error = frames[-1]
    return result.ended, result.status, result.stdout, error


def _where(results: Sequence[Result]) -> str:
    return " and ".join(f"{result.run.module} ({result.run.device})" for result in results)


def _difference(results: Sequence[Result], device: str) -> str | None:
    """Say how scratch differs from torch on a device, if it does."""
    pair = {result.run.module: result for result in results if result.run.device == device}
    if len(pair) < 2 or _outcome(pair["torch"]) == _outcome(pair["scratch"]):
        return None
    snippet = results[0].run.snippet
    lines = [f"{snippet.page.as_posix()}:{snippet.line}: torch and scratch differ on {device}: {snippet.name}"]
    for module, result in pair.items():
        lines.append(f"  {module}: {result.trouble or 'runs to its end'}")
    lines += _diff(pair["torch"].stdout, pair["scratch"].stdout, "torch", "scratch")
    return "\n".join(lines) + "\n"


def _trouble(results: Sequence[Result]) -> tuple[int, str]:
    """Say how a program fails, and at which line of its page."""
    result = results[0]
    snippet = result.run.snippet
    trace, line = cut_traceback(result)
    page_line = snippet.page_line(line) if line else snippet.line
    lines = [
        f"{snippet.page.as_posix()}:{page_line}: {snippet.name} fails on {_where(results)}: {result.trouble}",
        f"  {snippet.path().as_posix()}:{line or 1}",
        *("  " + text for text in trace.splitlines()),
    ]
    if snippet.output and result.stdout != snippet.output:
        lines += _diff(snippet.output, result.stdout, "shown", "got until then")
    return page_line, "\n".join(lines) + "\n"


def _mismatch(results: Sequence[Result]) -> tuple[int, str] | None:
    """Say how a program's output is not the one that its page shows, if so."""
    result = results[0]
    snippet = result.run.snippet
    expected, got = snippet.output, result.stdout
    if got == (expected or ""):
        return None
    number = _first_difference(expected or "", got)
    if snippet.output_fence is None:
        line, what = snippet.line, "prints, but the page shows no output"
        where = snippet.path()
    else:
        line = min(snippet.output_fence.line + number, snippet.output_fence.end_line)
        what, where = "prints another output than the page shows", snippet.path().with_suffix(".out")
    lines = [
        f"{snippet.page.as_posix()}:{line}: {snippet.name} {what}, on {_where(results)}",
        f"  {where.as_posix()}:{number}",
        *_diff(expected or "", got, "shown", "got"),
        f"  mend the page with: python -m literate update {snippet.name}",
    ]
    return line, "\n".join(lines) + "\n"


def _first_difference(one: str, other: str) -> int:
    pairs = enumerate(zip_longest(one.splitlines(), other.splitlines()), 1)
    return next((number for number, (left, right) in pairs if left != right), len(one.splitlines()) + 1)


def _diff(one: str, other: str, one_name: str, other_name: str) -> list[str]:
    """Return a unified diff, with a line that says where the last line has no end."""
    found = difflib.unified_diff(_lines(one), _lines(other), one_name, other_name, lineterm="", n=2)
    lines = ["  " + line for line in found]
    return [*lines[:100], "  …"] if len(lines) > 100 else lines


def _lines(text: str) -> list[str]:
    lines = [ascii(line)[1:-1] if unshowable(line) else line for line in text.split("\n")]
    if lines[-1]:
        lines[-1] += "\\ (no end of line)"
        return lines
    return lines[:-1]


def cut_traceback(result: Result) -> tuple[str, int | None]:
    """Return what a program wrote to stderr, cut to its own frames, and the line of the innermost one."""
    shown = result.run.snippet.path().as_posix()
    kept: list[str] = []
    line: int | None = None
    frame: re.Match[str] | None = None
    innermost_first = "(most recent call first)" in result.stderr  # faulthandler's way, one list for each thread
    new_list = True
    for text in result.stderr.split("\n"):
        if start := FRAME.match(text):
            frame = start
        elif frame and not text.startswith(frame["indent"] + "  "):
            frame = None
        ours = frame is None or Path(frame["path"]) == result.path
        if start and ours and (new_list or not innermost_first):
            line, new_list = int(start["line"]), False
        if "(most recent call first)" in text:
            new_list, text = True, re.sub(r"0x[0-9a-f]+ ", "", text)
        if ours and not text.startswith("Extension modules:"):
            kept.append(text)
    return "\n".join(kept[-60:]).strip("\n").replace(str(result.path), shown), line
