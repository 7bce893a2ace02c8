"""Show a snippet as a program that has been run: its name, what it is, what it printed, and what it was run on."""

import html
import logging
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from literate.reading.files import digest
from literate.reading.pages import PageError, Snippet
from literate.reading.repository import MODULE, RECORD
from literate.reading.text import without_front_matter
from literate.reading.words import say
from literate.running import record

# MkDocs counts the warnings of its own loggers, and `mkdocs build --strict` fails on them.
log = logging.getLogger("mkdocs.literate")
UNSEARCHED = 'data-search-exclude=""'
PLAIN = re.compile(r'<span class="[npw]">([^<]*)</span>')  # names, brackets, space: of no colour of their own, and many


@dataclass(frozen=True)
class Live:
    """What a run at this moment says about a snippet whose written output is out of date.

    Args:
        output: what it printed, shown in place of the output on the page.
        note: one sentence on what was run and how to keep it.
        failure: what went wrong, in one line and in full.
    """

    output: str | None
    note: str
    failure: tuple[str, str] | None = None


class LiveRuns(Protocol):
    """What `literate serve` knows of the pages as they are at this moment."""

    def result(self, snippet: Snippet) -> Live | None:
        """Return what to show of a snippet in place of what is written, or None where the page is right as it is."""

    def errors(self, page: Path) -> list[PageError]:
        """Return all that is wrong with a page."""


# `literate serve` puts its runs here.
live: LiveRuns | None = None


@lru_cache(maxsize=2)
def load_record(path: Path, changed: int) -> record.Record:
    """Load the record of runs; `changed` is the time of its last change, so that a new record is read again."""
    return record.load(path)


@dataclass(frozen=True)
class Site:
    """The settings that all pages of a site share."""

    root: Path
    repo_url: str
    branch: str
    language: str  # of the page at hand

    def say(self, what: str, **values: str) -> str:
        return html.escape(say(self.language, f"card.{what}", **values))

    def runs(self, snippet: Snippet) -> list[dict[str, str]]:
        """Return the recorded runs of exactly this program on exactly this scratch/module.py."""
        module, book = self.root / MODULE, self.root / RECORD
        if not (module.is_file() and book.is_file()):
            return []
        try:
            known = load_record(book, book.stat().st_mtime_ns)
        except record.RecordError as error:
            if live is None:
                log.warning(str(error))
                return []
            raise
        return list(known.entries_for(snippet.digest, digest(module.read_bytes())))

    def find_page(self, source: str) -> tuple[Path | None, int]:
        """Return the page whose text this is, and the number of lines (front matter) above that text.

        A Markdown extension is given a text, not a path. No two pages have the same text, so the text finds its page.
        """
        for path in sorted((self.root / "docs").glob("*/**/*.md")):
            whole = path.read_text(encoding="utf-8-sig", errors="replace")  # MkDocs says which page it can't read
            if source.strip() not in whole:
                continue
            for body in (without_front_matter(whole), whole):
                if body.strip() == source.strip():
                    above = whole[: len(whole) - len(body.lstrip("\n"))].count("\n")
                    return path.relative_to(self.root), above - (len(source) - len(source.lstrip("\n")))
        return None, 0


class Card:
    """One snippet as HTML: the parts of its program where the page has them, and all else after the last."""

    def __init__(self, site: Site, snippet: Snippet, page: Path | None) -> None:
        self.site = site
        self.snippet = snippet
        self.page = page
        self.live = live.result(snippet) if live and page else None

    @property
    def anchor(self) -> str:
        return f"snippet-{self.snippet.name}"

    @property
    def file(self) -> str:
        return self.snippet.path().as_posix() if self.page else f"{self.snippet.name}.py"

    def parts(self) -> list[str]:
        """Return one piece of HTML for each fence of the snippet."""
        codes = [self.code(fence.code, first=number == 0) for number, fence in enumerate(self.snippet.fences)]
        codes[0] = self.head() + codes[0]
        codes[-1] += self.results() + self.foot()
        return codes

    def code(self, code: str, first: bool) -> str:
        # The theme's copy button takes data-copy, so that on any part of a program it copies the whole of it. That
        # stands in the page once: assets/cards.js gives it to the other parts.
        whole = html.escape(self.snippet.code, quote=True).replace("\n", "&#10;")
        copy = f'data-copy="{whole}"' if first else f'data-copy-of="{self.anchor}"'
        return f'<div class="literate-code" {copy}>{colour(code)}</div>'

    def head(self) -> str:
        name, say = self.snippet.name, self.site.say
        link = f'<a class="literate-anchor" {UNSEARCHED} href="#{self.anchor}" title="{say("link")}">#</a>'
        title = html.escape(name.replace("-", " "))
        href = html.escape(data_address(self.snippet.code))
        download = (
            f'<a class="literate-download" {UNSEARCHED} href="{href}" download="{name}.py" '
            f'title="{say("download of", name=name)}">{say("download")}</a>'
        )
        if self.page and self.site.repo_url:
            where = f"{self.site.repo_url.rstrip('/')}/blob/{self.site.branch}/{self.file}"
            title = f'<a href="{html.escape(where)}" title="{say("file", name=name)}">{title}</a>'
        return f'<div class="literate-head"><span class="literate-name">{title}</span>{link}{download}</div>'

    def results(self) -> str:
        """Return the output of the program, tied to it and labelled; in live mode what a run has just given."""
        if self.live is None:
            return self.output(self.snippet.output)
        failed = ""
        if self.live.failure:
            title, text = map(html.escape, self.live.failure)
            failed = (
                f'<div class="literate-failure no-copy" role="alert"><p>{title}</p><pre><code>{text}</code></pre></div>'
            )
        return f'{self.output(self.live.output)}{failed}<p class="literate-live">{html.escape(self.live.note)}</p>'

    def output(self, output: str | None) -> str:
        if not output:
            return ""
        label = self.site.say("output of", name=self.snippet.name)
        return (
            f'<div class="literate-output no-copy" role="group" aria-label="{label}">'
            f'<span class="literate-label" {UNSEARCHED} aria-hidden="true">{self.site.say("output")}</span>'
            f"<pre><code>{html.escape(output)}</code></pre></div>"
        )

    def foot(self) -> str:
        command = f"python -m scratch {self.file}"
        # Material's search leaves an element out up to the first end of one of the same name: no footer is in a footer.
        return (
            f'<footer class="literate-foot" {UNSEARCHED}>{self.badges()}'
            f'<div class="literate-command"><pre><code>{command}</code></pre></div></footer>'
        )

    def badges(self) -> str:
        """Return what this very program has been run on: nothing where the record doesn't say so."""
        runs = [] if self.live else self.site.runs(self.snippet)
        if not runs:
            return ""
        done = {(run["module"], run["device"]) for run in runs}
        modules = [name for name in ("torch", "scratch") if any(module == name for module, _ in done)]
        # A device has its tick only where every Module that has one was run on it.
        devices = [name for name in ("cpu", "cuda") if all((module, name) in done for module in modules)]
        ticks = "".join(
            f'<span class="literate-badge">{NAMES[name]} <span aria-hidden="true">✓</span></span>'
            for name in modules + devices
        )
        versions = ", ".join(sorted({run["torch"].partition("+")[0] for run in runs}))
        ran = [
            self.site.say("ran", **{**run, "module": NAMES[run["module"]], "device": NAMES[run["device"]]})
            for run in sorted(runs, key=lambda run: (run["device"], run["module"] != "torch"))
        ]
        # What title would say, only a mouse can ask for. This is shown on hover and on focus, and it is read out.
        details = "".join(f"<span>{line}</span>" for line in ran)
        tip = f"runs-{self.snippet.name}"
        return (
            f'<div class="literate-badges" role="group" tabindex="0" aria-label="{self.site.say("recorded")}" '
            f'aria-describedby="{tip}">{ticks}<span class="literate-version">torch {html.escape(versions)}</span>'
            f'<div class="literate-tip" role="tooltip" id="{tip}">{details}</div></div>'
        )


def data_address(code: str) -> str:
    """Return an address that holds a program itself. What may stand in it as it is does, since it is long."""
    return "data:text/x-python;charset=utf-8," + quote(code, safe=" ()[]{}=.,:;*+/@!?$'|^~")


@lru_cache(maxsize=1000)  # a server colours all programs of a page again when one has changed
def colour(code: str) -> str:
    """Return a Python program as highlighted HTML, in the markup that the theme's styles expect."""
    lines = highlight(code, PythonLexer(stripnl=False), HtmlFormatter(cssclass="highlight", wrapcode=True)).strip()
    lines = PLAIN.sub(r"\1", lines)
    # What separates a part of a program from the one before it is no use at the head of a box.
    return re.sub(r"(?<=<code>)\n+", lambda gap: f'<span class="literate-gap">{gap[0]}</span>', lines, count=1)


NAMES = {"torch": "torch.nn", "scratch": "scratch", "cpu": "CPU", "cuda": "CUDA"}
