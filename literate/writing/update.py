"""Write what programs printed into the pages."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from literate.reading.files import Drift, replace_files
from literate.reading.pages import OUTPUT, Page, PageError, Snippet, parse
from literate.reading.text import unshowable
from literate.translating import pairs, stamp
from literate.writing.extract import Others, drift


def rewrite(page: Page, outputs: Mapping[str, str]) -> str:
    """Return a page's text with what its snippets, given by name, really printed.

    Raises:
        PageError: if a page can't show an output to the letter.
    """
    lines = page.text.split("\n")
    for snippet in reversed(page.snippets):
        got = outputs.get(snippet.name, snippet.output or "")
        if got == (snippet.output or ""):
            continue
        if problem := _unshowable(got):
            raise PageError(page.path, snippet.line, f"the output of {snippet.name} {problem}")
        _replace_output(lines, snippet, got)
    text = "\n".join(lines)
    again = parse(text, page.path)
    assert not again.errors and all((s.output or "") == outputs.get(s.name, s.output or "") for s in again.snippets)
    return text


def _replace_output(lines: list[str], snippet: Snippet, got: str) -> None:
    fence, code = snippet.output_fence, snippet.fences[-1]
    indent = " " * (fence or code).indent
    cr = "\r" if lines[code.line - 1].endswith("\r") else ""
    block = [indent + text + cr for text in output_fence(got)]
    if fence is None:
        lines[code.end_line : code.end_line] = [indent + OUTPUT + cr, *block]
    elif got:
        lines[fence.line - 1 : fence.end_line] = block
    else:
        start = fence.line - 2  # of the comment, then of the blank lines above it
        while "pytest-codeblocks" not in lines[start]:
            start -= 1
        while start > code.end_line and not lines[start - 1].strip():
            start -= 1
        del lines[start : fence.end_line]


def output_fence(output: str) -> list[str]:
    """Return the lines of a ```text fence, with more backticks than any of its lines starts with."""
    lines = output.split("\n")[:-1]
    longest = max((len(bare) - len(bare.lstrip("`")) for bare in (line.lstrip() for line in lines)), default=0)
    marks = "`" * max(3, longest + 1)
    return [marks + "text", *lines, marks]


def _unshowable(output: str) -> str | None:
    """Return why no page can show an output to the letter, or None."""
    if output and not output.endswith("\n"):
        return "doesn't end with a line end, and a page can't show that: print one at the end"
    return next((problem for line in output.split("\n") if (problem := unshowable(line))), None)


def update(
    pages: Sequence[Page], root: Path, outputs: Mapping[Path, str], whole: bool, others: Callable[[list[Page]], Others]
) -> list[Drift]:
    """Write outputs into the pages and bring the generated files in line with them, all or nothing.

    A translation that was up to date stays so: its stamp follows a page of which only outputs have changed.

    Args:
        outputs: what each program printed, by the path of its file.
        whole: the pages are all there are.
        others: what else is made of the pages as they are then.

    Raises:
        PageError: if an output can't be shown, or a page was changed meanwhile.
    """
    changes: list[Drift] = []
    updated: list[Page] = []
    texts: dict[Path, tuple[str, str]] = {}  # English comes first
    for page in pages:
        text = rewrite(page, {one.name: outputs[one.path()] for one in page.snippets if one.path() in outputs})
        text = stamp.follow(text, texts.get(pairs.english(page.path)))
        texts[page.path] = page.text, text
        updated.append(parse(text, page.path))
        found = (root / page.path).read_bytes()
        if found != page.text.encode():
            raise PageError(page.path, 1, "the page was changed while its snippets ran: update again")
        if text != page.text:
            changes.append(Drift(page.path, found, text.encode()))
    changes += drift(updated, root, others(updated), whole)
    replace_files(root, {change.path: change.wanted for change in changes})
    return changes
