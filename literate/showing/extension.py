"""The Markdown extension that shows a snippet as what it is: a program that has been run.

On the site each snippet is a card: its file name, the program, what it printed, what it was run on, and the command
that runs it on our Module. It is an extension of Python-Markdown and not of MkDocs, so that every site tool that
reads Markdown through it (MkDocs, Zensical) builds the same pages:

    markdown_extensions:
      - literate.markdown:
          repo_url: https://github.com/…

The extension works on the lines of a page before any other one sees them. `literate.pages.parse` says where the
snippets are; their lines are taken out, and each is put back as a card that nothing after it parses again. So a snippet
looks the same at the margin and in the folded answer of a question, and the site and the runner never disagree on what
a snippet is.
"""

from __future__ import annotations

import html
import logging
import os
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from literate.course.answers import Indexes
from literate.course.figures import FIGURES, NAMES, figures
from literate.course.notebooks import notebook_path
from literate.course.pieces import catalogue as pieces
from literate.course.pieces import view as piece_view
from literate.reading.pages import IMPORTABLE, LANGUAGES, PIECE, Page, PageError, Snippet, language_of, parse
from literate.running import record

# MkDocs counts the warnings of its own loggers, and `mkdocs build --strict` fails on them.
log = logging.getLogger("mkdocs.literate")

WORDS = {
    "en": {
        "output": "Output",
        "output of": "Output of {name}",
        "file": "Read {name}.py in the repository",
        "link": "Link to this program",
        "download": "Download",
        "download of": "Download {name}.py",
        "ran": "{module} on {device}: torch {torch}, {device_name}, {date}",
        "recorded": "Recorded runs",
        "notebook": "The programs of this page as one notebook: [download it]({href}){{ download={name} }}",
        "colab": ", or [open it on Colab]({href})",
        "end": ".",
        "so far": "Download scratch/module.py as of this chapter",
        "importable": "Download {name}.py: all of this program so far, to import",
        "decided in": "Decided in scratch/module.py, line {line}:",
        "section": "Section {section} of scratch/module.py",
        "reference head": "| Name | What it does | Programs that show it | Answers |",
        "between": "; ",
        "more": "and {count} more",
        "page has an error": "This page has an error.",
        "not run": "Not run.",
        "run": "Run when you saved it.",
        "run as shown": "Run when you saved it, on torch.nn and scratch: the page is right. `make update` records it.",
        "run anew": "Run when you saved it, on torch.nn and scratch. `make update` writes this output to the page.",
    },
    "zh": {
        "output": "输出",
        "output of": "{name} 的输出",
        "file": "在仓库里查看 {name}.py",
        "link": "本程序的链接",
        "download": "下载",
        "download of": "下载 {name}.py",
        "ran": "{device} 上的 {module}：torch {torch}，{device_name}，{date}",
        "recorded": "运行记录",
        "notebook": "本页的全部程序合为一个笔记本：[下载]({href}){{ download={name} }}",
        "colab": "，或[在 Colab 中打开]({href})",
        "end": "。",
        "so far": "下载到本章为止的 scratch/module.py",
        "importable": "下载 {name}.py：到此为止的整个程序，可供导入",
        "decided in": "由 scratch/module.py 第 {line} 行决定：",
        "section": "scratch/module.py 的 {section} 一节",
        "reference head": "| 名称 | 作用 | 展示它的程序 | 问答 |",
        "between": "；",
        "more": "另有 {count} 个",
        "page has an error": "本页有错误。",
        "not run": "没有运行。",
        "run": "保存时已运行。",
        "run as shown": "保存时已在 torch.nn 和 scratch 上运行，页面无误。`make update` 会记录这次运行。",
        "run anew": "保存时已在 torch.nn 和 scratch 上运行。`make update` 会把这段输出写进页面。",
    },
}
GITHUB = "https://github.com/"
SO_FAR = "<!-- literate: module-so-far -->"
SO_FAR_TOKEN = "@@literate-module-so-far@@"
IMPORTABLE_TOKEN = "@@literate-importable-{}@@"
TOKEN = re.compile(r"^(?P<indent> *)@@literate-(?P<number>\d+)@@$")
FRONT_MATTER = re.compile(r"\A-{3}[ \t]*\n.*?\n(?:-{3}|\.{3})[ \t]*\n", re.DOTALL)
UNSEARCHED = 'data-search-exclude=""'
PLAIN = re.compile(r'<span class="[npw]">([^<]*)</span>')  # names, brackets, space: of no colour of their own, and many
COMMENT = re.compile(r"^\s*<!--\s*(?:snippet:|pytest-codeblocks:)[^>]*-->\s*$")


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
        return html.escape(WORDS[self.language][what].format(**values))

    def runs(self, snippet: Snippet) -> list[dict[str, str]]:
        """Return the recorded runs of exactly this program on exactly this scratch/module.py."""
        module, book = self.root / "scratch" / "module.py", self.root / "snippets" / "record.json"
        if not (module.is_file() and book.is_file()):
            return []
        try:
            known = load_record(book, book.stat().st_mtime_ns)
        except record.RecordError as error:
            if live is None:
                log.warning(str(error))
                return []
            raise
        return list(known.entries_for(snippet.digest, record.digest(module.read_bytes())))

    def find_page(self, source: str) -> tuple[Path | None, int]:
        """Return the page whose text this is, and the number of lines (front matter) above that text.

        A Markdown extension is given a text, not a path. No two pages have the same text, so the text finds its page.
        """
        for path in sorted((self.root / "docs").glob("*/**/*.md")):
            whole = path.read_text(encoding="utf-8-sig", errors="replace")  # MkDocs says which page it can't read
            if source.strip() not in whole:
                continue
            for body in (FRONT_MATTER.sub("", whole, count=1), whole):
                if body.strip() == source.strip():
                    above = whole[: len(whole) - len(body.lstrip("\n"))].count("\n")
                    return path.relative_to(self.root), above - (len(source) - len(source.lstrip("\n")))
        return None, 0


# ---------------------------------------------------------------------------------------------------------------- card


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


def announced(lines: list[str], index: int) -> int:
    """Return where a fence begins together with the comment that announces it, which would leave an empty paragraph."""
    above = index
    while above > 0 and not lines[above - 1].strip():
        above -= 1
    return above - 1 if above > 0 and COMMENT.match(lines[above - 1]) else index


def error_box(errors: list[PageError], site: Site) -> str:
    """Return the errors of a page as HTML."""
    lines = "".join(f"<li>{html.escape(str(error))}</li>" for error in errors)
    return f'<div class="literate-error" role="alert"><p>{site.say("page has an error")}</p><ul>{lines}</ul></div>'


# ----------------------------------------------------------------------------------------------------------- extension


@dataclass(frozen=True)
class Block:
    """A piece that replaces some lines of a page: raw HTML, in an element of its own."""

    html: str
    anchor: str | None = None
    css_class: str = "literate"

    def lines(self) -> int:
        """Return about how high it is: a browser that has not drawn it yet asks (assets/extra.css)."""
        return self.html.count("\n") + 4 * ("literate-head" in self.html) + 5 * ("literate-foot" in self.html)


class TakeOut(Preprocessor):
    """Replace the lines of each snippet by a token, before includes are read and before any fence is."""

    def __init__(self, md: Markdown, site: Site) -> None:
        super().__init__(md)
        self.site = site
        self.blocks: list[Block] = []
        self.chapter = ""
        self.modules: dict[str, str] = {}  # the code of each file that the page offers to import, by its token

    def run(self, lines: list[str]) -> list[str]:
        self.blocks.clear()
        source = "\n".join(lines)
        path, above = self.site.find_page(source)
        self.site = replace(self.site, language=language_of(path) if path else LANGUAGES[0])
        whole = (self.site.root / path).read_text(encoding="utf-8") if path else source
        page = parse(whole, path or Path("page.md"))
        lines = list(lines)
        errors = list(live.errors(path) if live and path else page.errors)
        if FRONT_MATTER.match(whole) and source.strip() == whole.strip():
            errors.insert(0, PageError(page.path, 1, "the front matter isn't YAML, so it is shown as text: mend it"))
            if live:
                log.warning(str(errors[0]))
        for error in errors:
            at = error.line - above - 1
            if live is None:
                log.warning(str(error))
            elif 0 <= at < len(lines) and "-8<-" in lines[at]:
                lines[at] = ""  # an include of a missing file would end the build
        for snippet in reversed(page.snippets):
            self.replace(snippet, lines, above, path)
        self.so_far(lines, path)
        self.importable(lines, page)
        self.pieces(lines)
        if path is not None and "<!-- literate: " in source:
            lines = self.answered(lines, path)
        if path is not None and page.snippets:
            lines += self.notebook(path)
        if errors:
            lines[:0] = [self.token(Block(error_box(errors, self.site))), ""]
        return lines

    def replace(self, snippet: Snippet, lines: list[str], above: int, path: Path | None) -> None:
        """Replace the lines of one snippet, from below, so that the line numbers above stay right."""
        card = Card(self.site, snippet, path)
        end = (snippet.output_fence or snippet.fences[-1]).end_line - above
        for number, (fence, part) in reversed(list(enumerate(zip(snippet.fences, card.parts(), strict=True)))):
            start = announced(lines, fence.line - above - 1)
            block = Block(part, card.anchor if number == 0 else None)
            lines[start : end if fence is snippet.fences[-1] else fence.end_line - above] = [
                "",
                " " * fence.indent + self.token(block),
                "",
            ]

    def so_far(self, lines: list[str], path: Path | None) -> None:
        for number, line in enumerate(lines):
            if line.strip() == SO_FAR:
                lines[number] = SO_FAR_TOKEN
                self.chapter = path.stem if path else "?"

    def importable(self, lines: list[str], page: Page) -> None:
        self.modules = {path.stem: code for one in page.snippets for path, code in one.modules().items()}
        for number, line in enumerate(lines):
            if (found := IMPORTABLE.fullmatch(line.strip())) and found["name"] in self.modules:
                lines[number] = IMPORTABLE_TOKEN.format(found["name"])

    def notebook(self, path: Path) -> list[str]:
        """Return the lines that offer the programs of a page as one notebook, where `literate extract` wrote it."""
        file = notebook_path(path)
        if not (self.site.root / file).is_file():
            return []
        words, repository = WORDS[self.site.language], self.site.repo_url.rstrip("/")
        href = Path(os.path.relpath(file, path.parent)).as_posix()
        line = words["notebook"].format(href=href, name=file.name)
        if repository.startswith(GITHUB):
            there = f"{repository.removeprefix(GITHUB)}/blob/{self.site.branch}/{file.as_posix()}"
            line += words["colab"].format(href=f"https://colab.research.google.com/github/{there}")
        return ["", line + words["end"], "{ .literate-notebook }"]

    def pieces(self, lines: list[str]) -> None:
        """Replace the comments that stand for interactive pieces; one that isn't recorded is named, and left out."""
        for number, line in enumerate(lines):
            if (found := PIECE.fullmatch(line.strip())) and found["name"] in pieces.PIECES:
                try:
                    data = pieces.read(found["name"], self.site.root)
                except (OSError, ValueError, LookupError) as error:
                    log.warning(f"the piece {found['name']} can't be shown, run `python -m literate update`: {error}")
                    continue
                shown = piece_view.piece(found["name"], self.site.language, data)
                lines[number] = self.token(Block(shown, css_class="piece-holder"))

    def answered(self, lines: list[str], path: Path) -> list[str]:
        """Write what the comments on answers stand for; MkDocs then sees links like any others."""
        repository = self.site.repo_url.rstrip("/")
        address = f"{repository}/blob/{self.site.branch}/scratch/module.py" if repository else ""
        indexes = Indexes(self.site.root, self.site.language, address, self.site.say)
        written: list[str] = []
        for line in lines:
            if line.strip() == FIGURES:
                written += ["", figures(self.site.root, self.site.language), ""]
            else:
                written += indexes.lines(line, path) or [line]
        return written

    def token(self, block: Block) -> str:
        self.blocks.append(block)
        return f"@@literate-{len(self.blocks) - 1}@@"


class PutBack(Preprocessor):
    """Turn the tokens into Python-Markdown's own placeholders for raw HTML, which no parser touches."""

    def __init__(self, md: Markdown, taken: TakeOut) -> None:
        super().__init__(md)
        self.taken = taken
        self.placeholders: dict[str, Block] = {}

    def run(self, lines: list[str]) -> list[str]:
        self.placeholders.clear()

        def place(found: re.Match[str]) -> str:
            block = self.taken.blocks[int(found["number"])]
            placeholder = self.md.htmlStash.store(block.html)
            self.placeholders[placeholder] = block
            return found["indent"] + placeholder

        return [TOKEN.sub(place, line) for line in lines]


class Wrap(Treeprocessor):
    """Give each card an element of its own with its anchor, where site tools look for anchors and links."""

    def __init__(self, md: Markdown, taken: TakeOut, put: PutBack) -> None:
        super().__init__(md)
        self.taken = taken
        self.put = put

    def run(self, root: Element) -> None:
        for element in list(root.iter()):
            text = (element.text or "").strip()
            if block := self.put.placeholders.get(text):
                # Alone in its paragraph (the usual case), or the whole text of a list item.
                inner = element if element.tag == "p" else SubElement(element, "div")
                element.text, inner.tag, inner.text = None, "div", text
                inner.set("class", block.css_class)
                if block.anchor:
                    inner.set("id", block.anchor)
                if block.css_class == "literate":
                    inner.set("style", f"--lines: {block.lines()}")
            elif text == SO_FAR_TOKEN:
                self.so_far(element, self.taken.chapter)
            elif text in (known := {IMPORTABLE_TOKEN.format(name): name for name in self.taken.modules}):
                self.importable(element, known[text])

    def so_far(self, paragraph: Element, chapter: str) -> None:
        paragraph.text = None
        paragraph.set("class", "literate-so-far")
        link = SubElement(
            paragraph, "a", {"href": f"downloads/module-{chapter}.py", "download": f"module-{chapter}.py"}
        )
        link.text = WORDS[self.taken.site.language]["so far"]

    def importable(self, paragraph: Element, name: str) -> None:
        paragraph.text = None
        paragraph.set("class", "literate-importable")
        href = data_address(self.taken.modules[name])
        link = SubElement(paragraph, "a", {"href": href, "download": f"{name}.py"})
        link.text = WORDS[self.taken.site.language]["importable"].format(name=name)


class LiterateExtension(Extension):
    """Show the snippets of a page with what they print, what they were run on and how to run them."""

    def __init__(self, **settings: Any) -> None:
        self.config = {
            "root": [".", "Folder that holds docs/, snippets/ and scratch/."],
            "repo_url": ["", "Address of the repository, for links to the extracted files."],
            "branch": ["main", "Branch that these links point to."],
        }
        super().__init__(**settings)

    def extendMarkdown(self, md: Markdown) -> None:
        settings = self.getConfigs()
        root, repository = Path(settings["root"]).resolve(), settings["repo_url"] or ""
        site = Site(root, repository, settings["branch"], LANGUAGES[0])
        taken = TakeOut(md, site)
        put = PutBack(md, taken)
        # pymdownx.snippets reads includes at 32, whitespace is made uniform (and placeholders lost) at 30, superfences
        # takes its fences at 25, raw HTML is set aside at 20.
        md.preprocessors.register(taken, "literate-take-out", 40)
        md.preprocessors.register(put, "literate-put-back", 27)
        # Before links are rewritten and anchors collected (MkDocs: 0 and 5), before inline patterns (20).
        md.treeprocessors.register(Wrap(md, taken, put), "literate-wrap", 27)


def makeExtension(**settings: Any) -> LiterateExtension:
    """Return the extension; Python-Markdown calls this function by its name."""
    return LiterateExtension(**settings)
