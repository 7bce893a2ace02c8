"""Take the snippets out of a page before anything else reads it, and put them back as cards.

It is an extension of Python-Markdown and not of MkDocs, so that every site tool that reads Markdown through it (MkDocs,
Zensical) builds the same pages. It works on the lines of a page before any other one sees them. `parse` says where the
snippets are; their lines are taken out, and each is put back as a card that nothing after it parses again. So a snippet
looks the same at the margin and in the folded answer of a question, and the site and the runner never disagree on what
a snippet is.
"""

import html
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from literate.reading.pages import IMPORTABLE, Directive, Page, PageError, Snippet, parse
from literate.reading.repository import LANGUAGES, language_of
from literate.reading.text import without_front_matter
from literate.showing import card
from literate.showing.card import Site

TOKEN = re.compile(r"^(?P<indent> *)@@literate-(?P<number>\d+)@@$")
COMMENT = re.compile(r"^\s*<!--\s*(?:snippet:|pytest-codeblocks:)[^>]*-->\s*$")


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


@dataclass(frozen=True)
class Block:
    """A piece that replaces some lines of a page: raw HTML, in an element of its own."""

    html: str
    anchor: str | None = None
    css_class: str = "literate"

    def lines(self) -> int:
        """Return about how high it is: a browser that has not drawn it yet asks (assets/extra.css)."""
        return self.html.count("\n") + 4 * ("literate-head" in self.html) + 5 * ("literate-foot" in self.html)


# What stands for a directive in the page: lines of Markdown, and blocks of HTML.
Renderer = Callable[[Site, Page, str], list[str | Block]]


class TakeOut(Preprocessor):
    """Replace the lines of each snippet by a token, before includes are read and before any fence is.

    Args:
        renderers: what becomes of a directive, by its word.
        foot: what stands under a page.
    """

    def __init__(self, md: Markdown, site: Site, renderers: Mapping[str, Renderer], foot: Renderer) -> None:
        super().__init__(md)
        self.site, self.renderers, self.foot = site, renderers, foot
        self.blocks: list[Block] = []

    def run(self, lines: list[str]) -> list[str]:
        self.blocks.clear()
        source = "\n".join(lines)
        path, above = self.site.find_page(source)
        self.site = replace(self.site, language=language_of(path) if path else LANGUAGES[0])
        whole = (self.site.root / path).read_text(encoding="utf-8") if path else source
        page = parse(whole, path or Path("page.md"))
        lines = list(lines)
        live = card.live
        errors = list(live.errors(path) if live and path else page.errors)
        if not live:
            unknown = [one for one in page.directives if one.word not in self.renderers]
            errors += [PageError(page.path, one.line, f"an unknown literate comment, {one.word}") for one in unknown]
        if without_front_matter(whole) != whole and source.strip() == whole.strip():
            errors.insert(0, PageError(page.path, 1, "the front matter isn't YAML, so it is shown as text: mend it"))
            if live:
                card.log.warning(str(errors[0]))
        for error in errors:
            at = error.line - above - 1
            if live is None:
                card.log.warning(str(error))
            elif 0 <= at < len(lines) and "-8<-" in lines[at]:
                lines[at] = ""  # an include of a missing file would end the build
        # From below, so that the line numbers above stay right.
        found: list[Snippet | Directive] = [*page.snippets, *page.directives]
        for one in sorted(found, key=lambda one: one.line, reverse=True):
            if isinstance(one, Directive):
                self.render(one, lines, above, page)
            else:
                self.replace(one, lines, above, path)
        self.importable(lines, page)
        if path is not None:
            lines += self.written(self.foot(self.site, page, ""))
        if errors:
            lines[:0] = [self.token(Block(error_box(errors, self.site))), ""]
        return lines

    def render(self, directive: Directive, lines: list[str], above: int, page: Page) -> None:
        """Replace the line of one directive."""
        at = directive.line - above - 1
        if directive.word in self.renderers:
            lines[at : at + 1] = self.written(self.renderers[directive.word](self.site, page, directive.argument))

    def written(self, parts: list[str | Block]) -> list[str]:
        return [part if isinstance(part, str) else self.token(part) for part in parts]

    def replace(self, snippet: Snippet, lines: list[str], above: int, path: Path | None) -> None:
        """Replace the lines of one snippet."""
        made = card.Card(self.site, snippet, path)
        end = (snippet.output_fence or snippet.fences[-1]).end_line - above
        for number, (fence, part) in reversed(list(enumerate(zip(snippet.fences, made.parts(), strict=True)))):
            start = announced(lines, fence.line - above - 1)
            block = Block(part, made.anchor if number == 0 else None)
            lines[start : end if fence is snippet.fences[-1] else fence.end_line - above] = [
                "",
                " " * fence.indent + self.token(block),
                "",
            ]

    def importable(self, lines: list[str], page: Page) -> None:
        modules = {path.stem: code for one in page.snippets for path, code in one.modules().items()}
        for number, line in enumerate(lines):
            if (found := IMPORTABLE.fullmatch(line.strip())) and (name := found["name"]) in modules:
                address, text = html.escape(card.data_address(modules[name])), self.site.say("importable", name=name)
                link = f'<p><a href="{address}" download="{name}.py">{text}</a></p>'
                lines[number] = self.token(Block(link, css_class="literate-importable"))

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

    def __init__(self, md: Markdown, put: PutBack) -> None:
        super().__init__(md)
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


class LiterateExtension(Extension):
    """Show the snippets of a page with what they print, what they were run on and how to run them.

    Args:
        renderers: what becomes of a directive, by its word.
        foot: what stands under a page.
    """

    def __init__(self, renderers: Mapping[str, Renderer], foot: Renderer, **settings: Any) -> None:
        self.renderers, self.foot = renderers, foot
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
        taken = TakeOut(md, site, self.renderers, self.foot)
        put = PutBack(md, taken)
        # pymdownx.snippets reads includes at 32, whitespace is made uniform (and placeholders lost) at 30, superfences
        # takes its fences at 25, raw HTML is set aside at 20.
        md.preprocessors.register(taken, "literate-take-out", 40)
        md.preprocessors.register(put, "literate-put-back", 27)
        # Before links are rewritten and anchors collected (MkDocs: 0 and 5), before inline patterns (20).
        md.treeprocessors.register(Wrap(md, put), "literate-wrap", 27)
