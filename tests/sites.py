"""Build the site of both languages with MkDocs and with Zensical, once for all tests, and read its pages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from literate.reading.repository import languages, part
from literate.site import building as site

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("mkdocs", "zensical")
OFFLINE = "build/nn-module-from-scratch"  # the site that is opened from disk; its zip lies beside it
VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
# What a browser fetches by itself when it shows a page: (tag, attribute), for <link> by its rel.
FETCHED = {
    ("script", "src"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("video", "src"),
    ("audio", "src"),
    ("embed", "src"),
    ("object", "data"),
    ("image", "href"),
    ("use", "href"),
    ("video", "poster"),
}
FETCHED_RELS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "manifest"}


@dataclass
class Node:
    """An element of a page."""

    tag: str
    attributes: dict[str, str]
    children: list[Node | str] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            if isinstance(child, Node):
                yield from child.walk()

    def find(self, tag: str = "", css_class: str = "") -> list[Node]:
        """Return the elements inside with this tag and this class."""
        return [
            node
            for node in self.walk()
            if (not tag or node.tag == tag) and (not css_class or css_class in node.attributes.get("class", "").split())
        ]

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


class Reader(HTMLParser):
    """Read HTML into nodes."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        for depth in range(len(self.open) - 1, 0, -1):
            if self.open[depth].tag == tag:
                del self.open[depth:]
                return

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(html: str) -> Node:
    """Return a page as a tree."""
    reader = Reader()
    reader.feed(html)
    return reader.root


@dataclass(frozen=True)
class Built:
    """A built site: where it is, how its build ended, and what that printed."""

    folder: Path
    code: int
    printed: str

    @cache  # noqa: B019 (there are two of them, for the whole run)
    def pages(self) -> dict[str, Node]:
        """Return each page by its address from the site's root, such as `registration/` or `zh/registration/`."""
        return read_site(self.folder)


@cache
def built(tool: str) -> Built:
    """Build the site strictly with one of the tools and return what came of it."""
    folder = ROOT / "build" / f"site-{tool}"
    if tool == "mkdocs":
        return Built(folder, *run("literate", "site", "--into", f"build/site-{tool}", "--offline", OFFLINE))
    ends = []
    for language in languages(ROOT):
        own = ROOT / f".zensical-{language}.yml"
        try:
            own.write_text(site.for_zensical(ROOT, language, f"build/site-{tool}"), encoding="utf-8")
            ends.append(run("zensical", "build", "--clean", "--strict", "-f", own.name))
        finally:
            own.unlink()
    return Built(folder, max(code for code, _ in ends), "".join(printed for _, printed in ends))


def run(*command: str) -> tuple[int, str]:
    """Run a module's command at the root, and return its exit status and what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return done.returncode, done.stdout


def name_of(page: Path) -> str:
    """Return the name of a page, by its path from the root: that of its file, with its folder, as in answers/index."""
    return Path(*page.with_suffix("").parts[2:]).as_posix()


PAGES = sorted(name_of(path.relative_to(ROOT)) for path in (ROOT / "docs" / "en").rglob("*.md"))


def address(name: str, language: str = "en") -> str:
    """Return where a page lies, from the site's root."""
    return part(language) + ("" if name == "index" else f"{name.removesuffix('/index')}/")


def read_site(folder: Path) -> dict[str, Node]:
    """Return each HTML page of a folder by its address from the folder."""
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        address = path.relative_to(folder).as_posix()
        address = address.removesuffix("index.html") if address.endswith("index.html") else address
        pages[address] = read(path.read_text(encoding="utf-8"))
    return pages


def anchors(page: Node) -> set[str]:
    """Return what a link can point to on a page."""
    return {node.attributes[name] for node in page.walk() for name in ("id", "name") if name in node.attributes}


def broken_links(folder: Path, pages: dict[str, Node]) -> list[str]:
    """Return a line for each link or picture of the pages that leads to no file, or to no place on its page."""
    problems = []
    known = {address: anchors(page) for address, page in pages.items()}
    for address, page in pages.items():
        if address.endswith("404.html"):  # its links start at the address of the hosted site
            continue
        for node in page.walk():
            for name in ("href", "src", "xlink:href"):
                link = node.attributes.get(name)
                if link is None or urlsplit(link).scheme or link.startswith("//"):
                    continue
                target, anchor = urldefrag(urljoin(f"/{address}", link))
                target = unquote(target).lstrip("/")
                if target not in known and not (folder / target).is_file():
                    problems.append(f"{address or 'index'}: {link} leads to no file")
                elif anchor and target in known and unquote(anchor) not in known[target]:
                    problems.append(f"{address or 'index'}: {link} leads to no place on that page")
    return problems


def foreign_requests(folder: Path, pages: dict[str, Node]) -> list[str]:
    """Return a line for each thing that a browser would fetch from another host to show these pages."""
    problems = []
    for address, page in pages.items():
        for node in page.walk():
            for name, value in node.attributes.items():
                fetched = (node.tag, name) in FETCHED or (
                    node.tag == "link" and name == "href" and FETCHED_RELS & set(node.attributes.get("rel", "").split())
                )
                if (fetched or name in ("srcset", "style")) and re.search(r"(?:https?:)?//[\w.-]+\.", value):
                    problems.append(f"{address or 'index'}: <{node.tag} {name}={value!r}>")
            if node.tag == "style" and re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", node.text):
                problems.append(f"{address or 'index'}: a style that fetches: {node.text[:80]!r}")
    for path in folder.rglob("*.css"):
        for found in re.findall(
            r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]*)", path.read_text(encoding="utf-8")
        ):
            problems.append(f"{path.relative_to(folder).as_posix()}: {found}")
    return problems
