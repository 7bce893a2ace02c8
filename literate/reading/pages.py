"""Read the pages: find every snippet, and refuse whatever isn't a snippet, an output, an include or not to be run.

The dialect is pytest-codeblocks' own, in its strictest reading: wherever pytest-codeblocks and MkDocs could take a line
differently, the line is an error. So the snippets found here are exactly those that `pytest --codeblocks` collects,
and exactly those that the site shows.
"""

import ast
import hashlib
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from literate.reading.repository import LANGUAGES, snippet_folder
from literate.reading.sections import has_section
from literate.reading.text import CODE_SPAN, front_matter_lines, unshowable

CONT, OUTPUT = "<!--pytest-codeblocks:cont-->", "<!--pytest-codeblocks:expected-output-->"
NOT_RUN = frozenset(
    {"text", "console", "toml", "yaml", "json", "ini", "diff", "http", "make", "makefile", "markdown"}
    | {"html", "css", "xml", "svg", "dot", "csv", "tex", "dockerfile"}
)
SHELLS = frozenset({"sh", "bash", "shell", "zsh", "fish", "powershell", "bat"})
TESTED_FOLDERS = ("scratch", "literate", "tests")  # what a page may show by including it; snippets/ is checked by name
FENCE = re.compile(r"^(?P<prefix>[\s>]*)(?P<marks>`{3,}|~{3,})(?P<info>.*)$")
FENCE_AFTER_MARKER = re.compile(r"^[\s>]*(?:[-*+]|\d+[.)]|:|\[\^[^\]]*\]:)[ \t]+(?:`{3,}|~{3,})")
OPTIONS = r'(?: +[a-z_]+="[^"]*")'
COMMENT = re.compile(r"<!--[-\s]*pytest-codeblocks:(?P<keyword>(?:(?!-->).)*)-->")
NAME_COMMENT = re.compile(r"<!--\s*snippet:(?P<name>(?:(?!-->).)*?)-->")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
IMPORTABLE = re.compile(r"<!-- literate: importable (?P<name>[a-z][a-z0-9_]*) -->")
DIRECTIVE = re.compile(r"<!-- literate: (?P<word>[a-z-]+)(?: (?P<argument>\S.*?))? -->")
INCLUDE = re.compile(r'--8<-- "(?P<path>[^":]+)(?::(?P<section>[a-zA-Z][-\w]*))?"')
CONTAINER = re.compile(r"(?:!!!|\?\?\?\+?|===[!+]*|[-*+]|\d+\.|:|\[\^[^\]]*\]:)\s")
CODING = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*[-\w.]")  # PEP 263
METADATA = re.compile(r" {0,3}[A-Za-z0-9_-]+:")
LINK = "a link: MkDocs publishes what it leads to, and nothing here would read or run it: put the file itself here"


class PageError(Exception):
    """Say which line of which page breaks which rule, and what to do."""

    def __init__(self, page: Path, line: int, rule: str) -> None:
        super().__init__(page, line, rule)
        self.page, self.line, self.rule = page, line, rule

    def __str__(self) -> str:
        return f"{self.page.as_posix()}:{self.line}: {self.rule}"


@dataclass
class Fence:
    """Hold one fenced block; `line` and `end_line` are its opening and closing lines, counted from 1."""

    line: int
    end_line: int
    indent: int
    language: str
    info: str
    code: str
    collected: str  # the same as pytest-codeblocks reads it: in an indented fence it loses a blank line without indent


@dataclass
class Snippet:
    """Hold one program: the fences that make it, and the output that the page shows."""

    page: Path
    name: str
    line: int  # of its first fence, as pytest-codeblocks counts
    fences: list[Fence]
    output_fence: Fence | None = None
    # What can be imported of it: a module's name, and how many of its fences, from the first one on, are that module.
    importable: dict[str, int] = field(default_factory=dict)

    @property
    def code(self) -> str:
        return "".join(fence.code for fence in self.fences)

    @property
    def output(self) -> str | None:
        return None if self.output_fence is None else self.output_fence.collected

    @property
    def output_line(self) -> int | None:
        return None if self.output_fence is None else self.output_fence.line

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.code.encode()).hexdigest()

    def path(self, root: Path = Path()) -> Path:
        """Return where its extracted file lies."""
        return root / snippet_folder(self.page) / f"{self.name}.py"

    def modules(self) -> dict[Path, str]:
        """Return the files beside it that can be imported: the program as far as each `importable` comment."""
        parts = {name: "".join(fence.code for fence in self.fences[:count]) for name, count in self.importable.items()}
        return {self.path().with_name(f"{name}.py"): code for name, code in parts.items()}

    def page_line(self, line: int) -> int:
        """Return the line of the page that shows the given line of the program."""
        for fence in self.fences:
            length = fence.end_line - fence.line - 1
            if line <= length:
                return fence.line + line
            line -= length
        return self.fences[-1].end_line


@dataclass
class Include:
    """Hold one `--8<--` line."""

    line: int
    path: str
    section: str | None
    language: str | None  # of the fence around it; None outside any fence


@dataclass(frozen=True)
class Directive:
    """Hold one `<!-- literate: WORD ARGUMENT -->` that is to be replaced by something; who reads on knows the words."""

    line: int
    word: str
    argument: str


@dataclass
class Page:
    """Hold what one page consists of, and every rule that it breaks."""

    path: Path
    text: str
    snippets: list[Snippet] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)
    includes: list[Include] = field(default_factory=list)
    directives: list[Directive] = field(default_factory=list)
    errors: list[PageError] = field(default_factory=list)

    def error(self, line: int, rule: str) -> None:
        self.errors.append(PageError(self.path, line, rule))


def parse(text: str, page: Path) -> Page:
    """Return the snippets of one page, and all its errors; nothing is raised."""
    result = Page(page, text)
    if text.startswith("\ufeff"):
        result.error(1, "the page starts with a byte order mark: save it as plain UTF-8")
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if "\r" in plain:
        line = plain[: plain.index("\r")].count("\n") + 1
        result.error(line, "a carriage return without a line feed: end lines with a line feed")
    _Reader(result, plain.replace("\r", "\n").split("\n")).read()
    result.errors.sort(key=lambda error: error.line)
    return result


def read_pages(folder: Path, root: Path | None = None) -> list[Page]:
    """Return every page under a folder, with the errors of each page and those between pages.

    Args:
        folder: the pages, such as docs/en.
        root: the repository, to which page and include paths are relative; two folders up unless given.
    """
    root = folder.resolve().parents[1] if root is None else root.resolve()
    pages = []
    for path in sorted(folder.resolve().rglob("*")):
        relative = path.relative_to(root)
        if path.is_symlink():
            pages.append(Page(relative, ""))
            pages[-1].error(1, LINK)
            continue
        if path.suffix in (".markdown", ".mdown", ".mkdn", ".mkd") and path.is_file():
            pages.append(Page(relative, ""))
            pages[-1].error(1, f"MkDocs renders a {path.suffix} file but pytest-codeblocks skips it: name it .md")
        if path.suffix != ".md" or any(part.startswith(".") for part in path.relative_to(folder.resolve()).parts):
            continue
        data = path.read_bytes()
        try:
            pages.append(parse(data.decode(), relative))
        except UnicodeDecodeError as error:
            pages.append(Page(relative, ""))
            pages[-1].error(data[: error.start].count(b"\n") + 1, "a byte that isn't UTF-8: save the page as UTF-8")
    _check_names(pages)
    _check_includes(pages, root)
    for page in pages:
        page.errors.sort(key=lambda error: error.line)
    return pages


def read_site(root: Path) -> list[Page]:
    """Return the pages of all languages, with their errors; English is there always, a translation may not be."""
    pages = []
    for folder in (Path("docs", language) for language in LANGUAGES):
        if (root / folder).resolve() != root.resolve() / folder:
            pages.append(Page(folder, ""))
            pages[-1].error(1, LINK)
        elif (root / folder).is_dir():
            pages += read_pages(root / folder, root)
    return pages


def errors(pages: Iterable[Page]) -> list[PageError]:
    """Return all errors of the pages, in page order."""
    return [error for page in pages for error in page.errors]


def snippets(pages: Iterable[Page]) -> list[Snippet]:
    """Return all snippets of the pages, in page order."""
    return [snippet for page in pages for snippet in page.snippets]


def _a(word: str) -> str:
    """Return a word with its article."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


class _Reader:
    """Read one page line by line, and keep what the next line may still refer to."""

    def __init__(self, page: Page, lines: list[str]) -> None:
        self.page = page
        self.lines = lines
        self.error = page.error
        # A comment that waits for its fence: what it announces (snippet, cont, expected-output), its line and the name.
        self.pending: tuple[str, int, str] | None = None
        # The fence before, as pytest-codeblocks counts them: a snippet, or None for a fence that isn't run.
        self.before: Snippet | None = None
        self.comment_line = 0  # where the HTML comment began that is still open
        self.containers: list[int] = []  # indents of the list items and admonitions that an indented line may belong to
        self.in_paragraph = False  # where an indented line goes on with the text, whatever its indent

    def read(self) -> None:
        number = self._skip_front_matter()
        if number <= len(self.lines) and self.lines[number - 1].isspace():
            self.error(number, "a page that begins with spaces loses its first fence in Markdown: remove them")
        if number == 1 and METADATA.match(self.lines[0]):
            self.error(1, "MkDocs takes a first line `word: …` for metadata and drops it: begin with a heading")
        while number <= len(self.lines):
            line = self.lines[number - 1]
            found = FENCE.match(line)
            if found:
                self._check_place(number, line)
                number = self._read_fence(number, found)
            elif line.strip():
                self._read_prose(number, line)
            number += 1
        self._drop_pending("no fence follows")
        if self.comment_line:
            self.error(self.comment_line, "an HTML comment that is never closed: end it with `-->`")

    def _skip_front_matter(self) -> int:
        count = front_matter_lines(self.lines)
        if any(FENCE.match(line) or COMMENT.search(line) for line in self.lines[:count]):
            return 1
        return count + 1

    def _drop_pending(self, why: str) -> None:
        if self.pending is not None:
            kind, line, _ = self.pending
            fence = "```text" if kind == "expected-output" else "```python"
            self.error(line, f"{why} this {kind} comment: put a {fence} fence right after it")
            self.pending = None

    # Lines outside of fences

    def _read_prose(self, number: int, line: str) -> None:
        for character in line:
            if unicodedata.category(character) in ("Cc", "Zl", "Zp") and character != "\t":
                self.error(number, f"the character {character!a}, which site tools drop or break a line at: remove it")
        text = line.strip()
        visible = CODE_SPAN.sub("", line)
        self._check_place(number, line)
        if FENCE_AFTER_MARKER.match(line):
            self.error(number, "a fence on the line of a list marker: put it on its own line, indented by four spaces")
        if name := NAME_COMMENT.fullmatch(text):
            if self.comment_line:
                self.error(number, "a snippet inside an HTML comment: delete it, or end the comment before it")
                self.comment_line = 0
            return self._announce("snippet", number, name["name"].strip())
        if not self.comment_line and (comment := COMMENT.fullmatch(text)):
            return self._read_keyword(number, comment["keyword"].strip("- "))
        self._drop_pending("text or another comment stands between a fence and")
        self._check_comments(number, text, visible)
        self._check_include_line(number, text)
        if not self.comment_line:
            if re.search(r"</?pre\b", visible, re.IGNORECASE):
                self.error(number, "code as HTML (<pre>) can't be checked: write a fence")
            opened = re.findall(r"<(/?)code\b", visible, re.IGNORECASE)
            if opened.count("") > opened.count("/"):
                self.error(number, "code as HTML (<code>) over several lines can't be checked: write a fence")

    def _check_comments(self, number: int, text: str, visible: str) -> None:
        if re.match(r"<!--[-\s]*pytest", text) or (
            re.search(r"pytest-codeblocks:|pytest\.mark\.", visible) and ("<!--" in visible or self.comment_line)
        ):
            rule = f"a pytest comment that isn't allowed: only {CONT} and {OUTPUT} are, each on its own line"
            self.error(number, rule)
        elif re.search(r"<!--\s*snippet:", visible):
            self.error(number, "a snippet comment stands on its own line: `<!-- snippet: what-it-shows -->`")
        elif re.search(r"<!--\s*literate:", visible):
            if found := IMPORTABLE.fullmatch(text):
                self._read_importable(number, found["name"])
            elif (found := DIRECTIVE.fullmatch(text)) and found["word"] != "importable":
                self.page.directives.append(Directive(number, found["word"], found["argument"] or ""))
            else:
                self.error(number, "an unknown literate comment: it stands alone, as `<!-- literate: WORD … -->`")
        if not self.comment_line and visible.rfind("<!--") > visible.rfind("-->"):
            self.comment_line = number
        elif self.comment_line and "-->" in visible:
            self.comment_line = 0

    def _read_importable(self, number: int, name: str) -> None:
        """Note that the program above this line is also a module of this name."""
        if self.before is None or self.before.output_fence is not None:
            self.error(number, "an importable comment stands after a fence of a snippet, and before its output")
        elif name in sys.stdlib_module_names or name in ("torch", "scratch"):
            self.error(number, f"a file {name}.py would hide Python's own module {name}: take another name")
        elif any(name in snippet.importable for snippet in self.page.snippets):
            self.error(number, f"a second module {name} on this page: take another name")
        else:
            self.before.importable[name] = len(self.before.fences)

    def _check_include_line(self, number: int, text: str) -> None:
        if "-8<-" not in text or re.search(r";-+8<-", text):
            return
        found = INCLUDE.fullmatch(text)
        if found is None or not found["path"].endswith(".svg"):
            rule = "outside of a fence only a whole .svg is included (for the marker itself, write `;` first)"
            self.error(number, rule)
        else:
            self.page.includes.append(Include(number, found["path"], found["section"], None))

    def _check_place(self, number: int, line: str) -> None:
        """Find what Markdown takes for an indented code block, which nothing would run."""
        text = line.expandtabs(4).lstrip(" ")
        indent = len(line.expandtabs(4)) - len(text)
        fence = FENCE.match(line)
        after_blank = number == 1 or not self.lines[number - 2].strip()
        begins = after_blank or bool(fence) or not self.in_paragraph
        if begins:
            while self.containers and indent < self.containers[-1] + 4:
                self.containers.pop()
        inside = self.containers[-1] + 4 if self.containers else 0
        container = CONTAINER.match(text + " ")
        if (begins and indent >= inside + 4 and not self.comment_line) or re.match(r"> {5}", text):
            what = "a fence indented into" if fence else "an indented line is"
            self.error(number, f"{what} an indented code block: indent it by {inside} spaces, or write code as a fence")
        elif container and (after_blank or self.containers or container[0][0] not in "-*+0123456789"):
            marker = indent // 4 * 4
            if text.startswith(("!!!", "???", "===")) and marker != indent:
                self.error(number, f"Markdown doesn't know `{text[:3]}` at this indent: indent it by {marker} spaces")
            while self.containers and self.containers[-1] >= marker:
                self.containers.pop()
            self.containers.append(marker)
        opens_box = container and container[0][0] not in "-*+0123456789"
        other = fence or opens_box or re.match(r"#|[-*_ ]*$|<", text.lstrip("> "))
        self.in_paragraph = not other

    # Comments that announce a fence

    def _announce(self, kind: str, number: int, name: str = "") -> None:
        self._drop_pending("another comment stands between a fence and")
        if kind == "snippet" and (not NAME.fullmatch(name) or len(name) > 80):
            self.error(number, f"{name!r} can't be the name of a snippet's file: write two-or-more-lower-case-words")
        self.pending = (kind, number, name)

    def _read_keyword(self, number: int, keyword: str) -> None:
        if keyword not in ("cont", "expected-output"):
            self.error(number, f"pytest-codeblocks:{keyword} isn't allowed: only cont and expected-output are")
        elif not self.page.snippets:
            self.error(number, f"{_a(keyword)} comment with no snippet before it: put it after a ```python fence")
        elif self.before is None:
            self.error(number, f"another fence stands between a snippet and this {keyword} comment: move that fence")
        elif self.before.output_fence is not None:
            kind = "a second output" if keyword == "expected-output" else "a cont comment after the output"
            self.error(number, f"{kind}: a snippet has one output, after its last fence")
        else:
            return self._announce(keyword, number)
        self.pending = None

    # Fences

    def _read_fence(self, number: int, found: re.Match[str]) -> int:
        """Read the fence opened on a line, and return the line where it ends."""
        prefix, marks, info = found["prefix"], found["marks"], found["info"].rstrip()
        if ">" in prefix:
            self.error(number, "a fence in a blockquote is not run: move it out of the quote, or into an admonition")
            self._drop_pending("a blockquote follows")
            return self._end_of_quote(number, marks)
        if prefix.strip(" "):
            self.error(number, "a fence indented with something other than spaces: indent it with spaces")
        if "`" in info:
            self.error(number, "a line that starts with three backticks opens a fence: start the line with a word")
        end = self._closing_line(number, prefix, marks)
        if end is None:
            return self._never_closed(number, marks)
        if self.comment_line:
            self.error(number, "a fence inside an HTML comment: nobody sees it, yet it is run; delete it")
            self.pending = None
        fence = self._make_fence(number, end, prefix, info)
        self._classify(fence, marks)
        return end

    def _end_of_quote(self, number: int, marks: str) -> int:
        for end in range(number + 1, len(self.lines) + 1):
            line = self.lines[end - 1].lstrip()
            if not line.startswith(">"):
                return end - 1
            if line.strip("> ") == marks:
                return end
        return len(self.lines)

    def _closing_line(self, number: int, prefix: str, marks: str) -> int | None:
        """Return the closing line by pytest-codeblocks' rule, unless MkDocs' rule would find another."""
        for end in range(number + 1, len(self.lines) + 1):
            line = self.lines[end - 1]
            if line.lstrip().startswith(marks):
                if line.rstrip() == prefix + marks:
                    return end
                if re.fullmatch(rf"\s*{re.escape(marks)}{marks[0]}*\s*", line):
                    self.error(end, f"not every tool closes line {number}'s fence here: use its indent and its {marks}")
                    return end
                return None
        return None

    def _never_closed(self, number: int, marks: str) -> int:
        self.pending = self.before = None
        for end in range(number + 1, len(self.lines) + 1):
            line = self.lines[end - 1]
            if line.lstrip().startswith(marks):
                self.error(number, f"a fence that isn't closed before line {end} opens another: close it with {marks}")
                return end - 1
        self.error(number, f"a fence that is never closed: close it with {marks}")
        return len(self.lines)

    def _make_fence(self, number: int, end: int, prefix: str, info: str) -> Fence:
        code: list[str] = []
        collected: list[str] = []
        width = len(prefix)
        for line in self.lines[number : end - 1]:
            bare = line.lstrip()
            if bare and len(line) - len(bare) < width:
                self.error(number + len(code) + 1, f"a line indented less than its fence: indent it by {width} spaces")
            code.append(line[min(width, len(line) - len(bare)) :] + "\n")
            collected.append((line + "\n")[min(width, len(line + "\n") - len(bare + "\n" if bare else "")) :])
        language = re.split(r"[\s{=]", info, maxsplit=1)[0]
        fence = Fence(number, end, width, language, info, "".join(code), "".join(collected))
        self.page.fences.append(fence)
        return fence

    def _classify(self, fence: Fence, marks: str) -> None:
        pending, self.pending = self.pending, None
        kind, comment_line, name = pending or ("", fence.line, "")
        if marks[0] == "~":
            self._read_tilde(fence)
            if pending:
                self.error(comment_line, f"{_a(kind)} comment before a ~~~ fence: use backticks")
            return
        if kind == "expected-output":
            self._read_output(fence)
        elif fence.info == "python" and kind:
            self._read_code(fence, marks, kind, name)
        elif kind:
            rule = f"{_a(kind)} comment belongs to a fence opened exactly ```python, not ```{fence.info}"
            self.error(fence.line, rule)
            self.before = None
        elif fence.info == "python":
            if any(_included(fence)):
                self.error(fence.line, 'an include needs a title, or it is run: ```python title="path"')
            else:
                self.error(fence.line, "a snippet without a name: put `<!-- snippet: what-it-shows -->` before it")
            self.before = None
        else:
            self._read_other(fence)

    def _read_tilde(self, fence: Fence) -> None:
        self._read_other(fence, counts=False)
        for number, line in enumerate(fence.code.split("\n"), fence.line + 1):
            if line.lstrip().startswith("```") or re.match(r"<!--[-\s]*pytest", line.strip()):
                rule = "pytest-codeblocks doesn't know ~~~ and reads this line: use backticks, four or more"
                self.error(number, rule)

    def _read_output(self, fence: Fence) -> None:
        assert self.before is not None
        self.before.output_fence = fence
        if fence.info != "text":
            self.error(fence.line, f"an output is shown in a ```text fence: this is ```{fence.info}")
        for number, line in enumerate(fence.code.split("\n"), fence.line + 1):
            if problem := unshowable(line):
                self.error(number, f"an output {problem}")

    def _read_code(self, fence: Fence, marks: str, kind: str, name: str) -> None:
        if len(marks) > 3:
            self.error(fence.line, "a snippet is opened by exactly three backticks: ```python")
        if not fence.code.strip():
            self.error(fence.line, "a snippet with no code in it: write the program, or remove the fence")
        for number, line in enumerate(fence.code.split("\n"), fence.line + 1):
            if CODING.match(line) and number <= fence.line + 2:
                self.error(number, "a snippet that names its encoding: it is UTF-8, as the page; remove the line")
            if "-8<-" in line:
                self.error(number, "a snippet with an include marker: the page would show another program than is run")
            elif re.match(r"\s*(?:from\s+|import\s+[^#]*\b)scratch\b", line):
                self.error(number, "a snippet imports torch only, never scratch: the same bytes run on both")
            elif problem := unshowable(line):
                self.error(number, f"a snippet {problem}")
        if _tree(fence.code) != _tree(fence.collected):
            self.error(fence.line, r"pytest-codeblocks loses a blank line in a string of an indented fence: write \n")
        if kind == "cont":
            assert self.before is not None
            self.before.fences.append(fence)
        else:
            self.before = Snippet(self.page.path, name, fence.line, [fence])
            self.page.snippets.append(self.before)

    def _read_other(self, fence: Fence, counts: bool = True) -> None:
        """Accept an include, or a language that isn't run."""
        if counts:
            self.before = None
        language = fence.language
        included = list(_included(fence))
        for number, found in included:
            if found is None:
                self.error(number, 'an include is a whole line like `--8<-- "scratch/module.py:registration"`')
            else:
                self.page.includes.append(Include(number, found["path"], found["section"], language))
        if re.fullmatch(rf"python{OPTIONS}+", fence.info) and counts:
            if len(included) != len(fence.code.split("\n")) - 1 or not included:
                self.error(fence.line, "a ```python fence with attributes holds include lines only: write ```python")
        elif language in SHELLS:
            self.error(fence.line, f"```{language} may be executed by pytest-codeblocks: write ```console")
        elif language not in NOT_RUN or not re.fullmatch(rf"{language}{OPTIONS}*", fence.info):
            known = ", ".join(sorted(NOT_RUN))
            rule = "a snippet is opened exactly ```python, and what isn't run, by one of"
            self.error(fence.line, f"an unknown fence {fence.info!r}: {rule} {known}")


@cache
def _tree(code: str) -> str | None:
    try:
        return ast.dump(ast.parse(code))
    except (SyntaxError, ValueError):
        return None


def _included(fence: Fence) -> Iterator[tuple[int, re.Match[str] | None]]:
    for number, line in enumerate(fence.code.split("\n"), fence.line + 1):
        if "-8<-" in line and not re.search(r";-+8<-", line):
            yield number, INCLUDE.fullmatch(line.strip())


def _check_names(pages: list[Page]) -> None:
    first: dict[str, Snippet] = {}
    for page, snippet in ((one, snippet) for one in pages for snippet in one.snippets):
        if (other := first.setdefault(snippet.name, snippet)) is not snippet:
            where = f"{other.page.as_posix()}:{other.line}"
            page.error(snippet.line, f"{snippet.name!r} is the name of another snippet, at {where}: rename one")


def _check_includes(pages: list[Page], root: Path) -> None:
    extracted = {path.as_posix() for one in snippets(pages) for path in (one.path(), *one.modules())}
    for page, include in ((one, include) for one in pages for include in one.includes):
        if problem := _include_problem(include, root, extracted):
            page.error(include.line, problem)


def _include_problem(include: Include, root: Path, extracted: set[str]) -> str | None:
    path = include.path
    parts = path.split("/")
    if path.startswith("/") or "\\" in path or {"", ".", ".."} & set(parts):
        return f"an include names a file by its path from the repository's root, such as scratch/module.py: not {path}"
    if path in extracted and include.section is None:
        return None
    if not (root / path).is_file():
        return f"the included file {path} doesn't exist: check the path, which starts at the repository's root"
    if path.endswith(".py") and parts[0] not in TESTED_FOLDERS:
        return f"the included file {path} isn't tested: include from {', '.join(TESTED_FOLDERS)}, or a snippet's file"
    if include.language == "python" and not path.endswith(".py"):
        return f"a ```python fence includes Python: {path} isn't"
    if include.section is not None:
        text = (root / path).read_text(encoding="utf-8")
        if not has_section(text, include.section):
            return f"{path} has no section {include.section!r}: check its name and its start and end markers"
    return None
