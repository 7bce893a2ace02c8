"""Compare a translation with its page: the same structure, the same programs, the same links.

A translation has its own words. It has the headings, programs, outputs, includes, comments and links of its page, in
the same order, and the same anchors.
"""

import difflib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from literate.reading.cells import read_lab
from literate.reading.headings import headings, prose
from literate.reading.pages import Page, PageError, Snippet, parse
from literate.reading.repository import ENGLISH, OTHERS
from literate.reading.text import CODE_SPAN, metadata, without_comments
from literate.translating.pairs import Pair

CONTAINER = re.compile(r"\s*(?P<marker>(?:!!!|\?\?\?\+?|===) ?[a-z]*)")
LINK = re.compile(
    r'\]\((?P<target>[^()\s]+)(?:\s+"[^"]*")?\)|<(?P<address>https?://[^>\s]+)>|(?:href|src)="(?P<raw>[^"]+)"'
)


@dataclass(frozen=True)
class Item:
    """Hold one thing that a page and its translation have in common, at its line."""

    line: int
    key: tuple[str, ...]
    shown: str

    def __str__(self) -> str:
        return self.shown


def outline(page: Page, translated: bool) -> list[Item]:
    """Return all that a page and its translation have in common, in order."""
    items = []
    for row, level, text, anchor, written in headings(page):
        known = anchor if written or not translated else ""
        items.append(Item(row, ("heading", str(level), known), f"the heading `{'#' * level} {text}`"))
    fences = set()
    for snippet in page.snippets:
        for number, fence in enumerate(snippet.fences):
            fences.add(fence.line)
            what = f"part {number + 1} of the snippet" if number else "the snippet"
            items.append(Item(fence.line, ("snippet", snippet.name, str(number)), f"{what} {snippet.name}"))
        if snippet.output_fence:
            fences.add(snippet.output_fence.line)
            items.append(Item(snippet.output_fence.line, ("output", snippet.name), f"the output of {snippet.name}"))
    for fence in page.fences:
        if fence.line not in fences:
            items.append(Item(fence.line, ("fence", fence.info), f"a ```{fence.info} fence"))
    for include in page.includes:
        path = common(include.path)
        where = f"{include.path}:{include.section}" if include.section else include.path
        items.append(Item(include.line, ("include", path, include.section or ""), f"the include of {where}"))
    for number, line in prose(page):
        if line.strip().startswith(("<!-- literate:", "<!-- answer:")):
            items.append(Item(number, ("comment", line.strip()), f"`{line.strip()}`"))
        elif match := CONTAINER.match(line):
            marker = match["marker"].strip()
            items.append(Item(number, ("box", marker), f"a box opened with `{marker}`"))
        elif re.fullmatch(r"\|[-:| ]+\|", line.strip()):
            columns = str(line.count("|") - 1)
            items.append(Item(number, ("table", columns), f"a table of {columns} columns"))
    return sorted(items, key=lambda item: item.line)


def common(target: str) -> str:
    """Return a path or an address as it is in English."""
    return re.sub(rf"\bdocs/(?:{'|'.join(OTHERS)})/", f"docs/{ENGLISH}/", target)


def links(lines: Iterator[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return where the links lead, with their lines."""
    found = []
    for number, line in lines:
        for match in LINK.finditer(CODE_SPAN.sub(lambda span: "`" * len(span[0]), line)):
            found.append((number, common(match["target"] or match["address"] or match["raw"])))
    return found


def check(pair: Pair) -> list[PageError]:
    """Return where a translation isn't as its page is."""
    for path, rule in (
        (pair.source, f"there is no such page, which {pair.target.as_posix()} translates: remove the translation"),
        (pair.target, f"there is no such page: translate {pair.source.as_posix()}"),
    ):
        if not (pair.root / path).is_file():
            return [PageError(path, 1, rule)]
    found = check_lab(pair) if pair.is_lab else check_page(pair)
    return sorted(found, key=lambda error: error.line)


def check_page(pair: Pair) -> list[PageError]:
    source, target = parse(pair.texts[0], pair.source), parse(pair.texts[1], pair.target)
    found = [*target.errors, *check_front_matter(pair)]
    for line, _, _, anchor, _ in headings(source):
        if re.search(r"(?<!\w)_", anchor):
            rule = f"Markdown would not take #{anchor} for an anchor on a translated page: end the line with another"
            found.append(PageError(pair.source, line, rule))
    ours = outline(target, translated=True)
    found += compare(pair, outline(source, translated=False), ours)
    there = {snippet.name: snippet for snippet in target.snippets}
    for snippet in source.snippets:
        if other := there.get(snippet.name):
            found += compare_programs(pair, snippet, other)
    if [item.key for item in ours if item.key[0] == "heading"] == [
        item.key for item in outline(source, translated=False) if item.key[0] == "heading"
    ]:
        found += compare_links(pair, source, target)
    return found


def check_front_matter(pair: Pair) -> Iterator[PageError]:
    """Give what is wrong with the title, the description and other metadata."""
    source, target = (metadata(text) for text in pair.texts)
    for key in source.keys() | target.keys():
        line = target[key][0] if key in target else 1
        if key not in target:
            yield PageError(pair.target, line, f"the front matter lacks `{key}`, which the English page has: add it")
        elif key == "description" and target[key][1] == source.get(key, (0, ""))[1]:
            yield PageError(pair.target, line, "the description is still the English one: translate it")
        elif key not in ("title", "description", "translation_of") and target[key][1] != source.get(key, (0, ""))[1]:
            yield PageError(pair.target, line, f"`{key}` in the front matter isn't as on the English page: copy it")


def compare(pair: Pair, source: list[Item], target: list[Item]) -> Iterator[PageError]:
    """Give each place where two outlines differ."""
    matcher = difflib.SequenceMatcher(
        None, [item.key for item in source], [item.key for item in target], autojunk=False
    )
    for _, start, end, own_start, own_end in matcher.get_opcodes():
        left, right = source[start:end], target[own_start:own_end]
        if [item.key for item in left] == [item.key for item in right]:
            continue
        for one, other in zip(left, right, strict=False):
            yield PageError(pair.target, other.line, instead(pair, one, other))
        for one in left[len(right) :]:
            line = target[own_end].line if own_end < len(target) else max(1, pair.texts[1].count("\n"))
            where = f"{pair.source.as_posix()}:{one.line}"
            yield PageError(pair.target, line, f"before this line {one} of {where} is missing: add it")
        for other in right[len(left) :]:
            yield PageError(pair.target, other.line, f"{other} is not on the English page at this place: remove it")


def instead(pair: Pair, one: Item, other: Item) -> str:
    """Return what to do where one thing stands in the place of another."""
    where = f"{pair.source.as_posix()}:{one.line}"
    if one.key[0] == other.key[0] == "heading" and one.key[1] == other.key[1]:
        return f"{one} of {where} has another anchor: end the line with ` {{ #{one.key[2]} }}`"
    return f"{other} stands where {where} has {one}: write that"


def compare_programs(pair: Pair, one: Snippet, other: Snippet) -> Iterator[PageError]:
    """Give where a program, or its output, is not that of the English page."""
    if line := first_difference(one.code, other.code):
        row, want = line
        where = f"{pair.source.as_posix()}:{one.line}"
        rule = (
            f"{other.name} is not the program of {where}, comments aside: only comments are translated; there: {want}"
        )
        yield PageError(pair.target, other.page_line(row), rule)
    if one.output_fence and other.output_fence and one.output != other.output:
        rule = f"the output of {other.name} is not the one of {pair.source.as_posix()}:{one.output_line}: copy that"
        yield PageError(pair.target, other.output_fence.line, rule)


def first_difference(one: str, other: str) -> tuple[int, str] | None:
    """Return the line of the second program where it first differs from the first, and what stands there in that."""
    left, right = without_comments(one), without_comments(other)
    for (_, want), (row, got) in zip(left, right, strict=False):
        if want != got:
            return row, want.strip()
    if len(left) > len(right):
        return max(1, other.count("\n")), left[len(right)][1].strip()
    return (right[len(left)][0], "nothing") if len(left) < len(right) else None


def compare_links(pair: Pair, source: Page, target: Page) -> Iterator[PageError]:
    """Give the links that one side has and the other hasn't, section by section."""

    def by_section(page: Page) -> list[list[tuple[int, str]]]:
        starts = [line for line, *_ in headings(page)]
        sections: list[list[tuple[int, str]]] = [[] for _ in (0, *starts)]
        for line, link in links(prose(page)):
            sections[sum(start <= line for start in starts)].append((line, link))
        return sections

    starts = [1, *(line for line, *_ in headings(target))]
    for start, left, right in zip(starts, by_section(source), by_section(target), strict=True):
        yield from compare_targets(pair, start, left, right)


def compare_targets(
    pair: Pair, start: int, left: list[tuple[int, str]], right: list[tuple[int, str]]
) -> Iterator[PageError]:
    missing = Counter(link for _, link in left) - Counter(link for _, link in right)
    surplus = Counter(link for _, link in right) - Counter(link for _, link in left)
    for link in missing:
        line = next(line for line, other in left if other == link)
        where = f"{pair.source.as_posix()}:{line}"
        yield PageError(pair.target, start, f"the section that begins here lacks the link to {link} of {where}: add it")
    for link in surplus:
        line = next(line for line, other in right if other == link)
        yield PageError(
            pair.target, line, f"the English section has no link to {link}: remove it, or lead it elsewhere"
        )


def check_lab(pair: Pair) -> Iterator[PageError]:
    """Give where a lab has not the cells of the English one."""
    source, target = (read_lab(path, pair.root) for path in (pair.source, pair.target))
    for one, other in zip(source, target, strict=False):
        where = f"{pair.source.as_posix()}:{one.line}"
        if one.kind != other.kind:
            yield PageError(pair.target, other.line, f"a cell of {other.kind} where {where} has one of {one.kind}")
            return
        if one.kind == "code":
            if difference := first_difference(one.text, other.text):
                rule = f"not the code of {where}, comments aside: only comments are translated; there: {difference[1]}"
                yield PageError(pair.target, other.line + difference[0], rule)
            continue
        pages = [parse(cell.text, path) for cell, path in ((one, pair.source), (other, pair.target))]
        levels = [[level for _, level, *_ in headings(page)] for page in pages]
        if levels[0] != levels[1]:
            yield PageError(
                pair.target, other.line, f"the cell has not as many headings as {where}, of the same levels"
            )
        left, right = (
            [(cell.line + line, link) for line, link in links(prose(page))]
            for cell, page in zip((one, other), pages, strict=True)
        )
        yield from compare_targets(pair, other.line, left, right)
    if len(source) != len(target):
        have = f"{len(target)} cells, and {pair.source.as_posix()} has {len(source)}"
        yield PageError(pair.target, target[-1].line, f"the lab has {have}: write the same cells")
