"""Hold the Chinese pages to the English ones: the same structure, the same programs, and nothing behind.

    python -m literate translations slugs PAGE      each heading of an English page with its anchor
    python -m literate translations check [PAGE …]  say where a translation differs from its page, or is behind it
    python -m literate translations stamp [PAGE …]  note that these translations are of the pages as they are now

A translation has its own words. It has the headings, programs, outputs, includes, comments and links of its page, in
the same order, and the same anchors. Its front matter names the English text that it was made from, by the hash that
git gives a file: `translation_of`. A lab has it in a comment at the end of its first cell.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from literate.course.labs import running as labs
from literate.reading.pages import LANGUAGES, OUTPUT, Page, PageError, Snippet, parse, without_comments

ENGLISH, *OTHERS = LANGUAGES
COMMAND = "python -m literate translations"
HEADING = re.compile(r"(?P<level>#{1,6}) +(?P<text>.*?)(?: +\{:? *#(?P<anchor>[^\s}]+) *\})?")
CONTAINER = re.compile(r"\s*(?P<marker>(?:!!!|\?\?\?\+?|===) ?[a-z]*)")
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
LINK = re.compile(
    r'\]\((?P<target>[^()\s]+)(?:\s+"[^"]*")?\)|<(?P<address>https?://[^>\s]+)>|(?:href|src)="(?P<raw>[^"]+)"'
)
STAMP = re.compile(r"^translation_of: *(?P<hash>[0-9a-f]{40})$", re.MULTILINE)
LAB_STAMP = re.compile(r"^# <!-- translation_of: (?P<hash>[0-9a-f]{40}) -->$", re.MULTILINE)


@dataclass(frozen=True)
class Item:
    """Hold one thing that a page and its translation have in common, at its line."""

    line: int
    key: tuple[str, ...]
    shown: str

    def __str__(self) -> str:
        return self.shown


@dataclass(frozen=True)
class Pair:
    """Hold a page and its translation, by their paths from the root."""

    root: Path
    source: Path
    target: Path

    @property
    def is_lab(self) -> bool:
        return self.target.suffix == ".py"

    @cached_property
    def texts(self) -> tuple[str, str]:
        """Return the English and the translated text."""
        return read(self.root / self.source), read(self.root / self.target)

    @cached_property
    def stamp(self) -> str | None:
        """Return the hash of the English text that was translated."""
        found = (LAB_STAMP if self.is_lab else STAMP).search(self.texts[1])
        return found["hash"] if found else None


def read(path: Path) -> str:
    """Return a file's text as git stores it."""
    return path.read_bytes().decode(errors="replace").replace("\r\n", "\n")


def pairs(root: Path, languages: Sequence[str] | None = None) -> list[Pair]:
    """Return each page and lab with its place in each other language that the site has, whether it is there or not."""
    if languages is None:
        languages = [language for language in OTHERS if (root / "docs" / language).is_dir()]
    found = set()
    for language in (ENGLISH, *languages):
        folder = root / "docs" / language
        for path in (*folder.rglob("*.md"), *folder.glob("labs/*.py")):
            for other in languages if language == ENGLISH else [language]:
                relative = path.relative_to(folder)
                found.add((Path("docs", ENGLISH) / relative, Path("docs", other) / relative))
    return [Pair(root, *paths) for paths in sorted(found)]


# What both have


def prose(page: Page) -> Iterator[tuple[int, str]]:
    """Give the lines of a page outside of its front matter and fences, with their numbers."""
    lines = page.text.split("\n")
    inside = {number for fence in page.fences for number in range(fence.line, fence.end_line + 1)}
    first = front_matter_lines(lines) + 1
    for number, line in enumerate(lines, 1):
        if number >= first and number not in inside:
            yield number, line


def front_matter_lines(lines: Sequence[str]) -> int:
    """Return how many lines the front matter takes."""
    if lines and lines[0].rstrip() == "---":
        for number, line in enumerate(lines[1:], 2):
            if line.rstrip() == "---":
                return number
    return 0


def slug(heading: str) -> str:
    """Return the anchor that Python-Markdown gives a heading."""
    text = re.sub(r"`+|!?\[(?P<text>[^\]]*)\]\([^)]*\)", lambda found: found["text"] or "", heading)
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    text = re.sub(r"[^\w\s-]", "", text).strip().lower()
    return re.sub(r"[-\s]+", "-", text)


def headings(page: Page) -> list[tuple[int, int, str, str, bool]]:
    """Return the headings of a page: line, level, text, anchor, and whether the anchor is written there."""
    found: list[tuple[int, int, str, str, bool]] = []
    used: set[str] = set()
    for number, line in prose(page):
        if match := HEADING.fullmatch(line.rstrip()):
            anchor = match["anchor"] or slug(match["text"])
            again = 0
            while (name := f"{anchor}_{again}" if again else anchor) in used:
                again += 1
            used.add(name)
            found.append((number, len(match["level"]), match["text"], name, bool(match["anchor"])))
    return found


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


# The checks


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


def metadata(text: str) -> dict[str, tuple[int, str]]:
    """Return the entries of a front matter, with their lines."""
    lines = text.split("\n")
    entries = {}
    for number, line in enumerate(lines[1 : front_matter_lines(lines) - 1], 2):
        key, colon, value = line.partition(":")
        if colon and not line.startswith(" "):
            entries[key] = (number, value.strip())
    return entries


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
    source, target = (labs.read_lab(path, pair.root) for path in (pair.source, pair.target))
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


# The stamp


def blob_hash(text: str) -> str:
    """Return the hash under which git stores a text."""
    data = text.replace("\r\n", "\n").encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def stored(root: Path, blob: str) -> str | None:
    """Return the text that git stores under a hash, if it has it."""
    try:
        done = subprocess.run(["git", "cat-file", "blob", blob], cwd=root, capture_output=True, check=False)
    except OSError:
        return None
    return None if done.returncode else done.stdout.decode(errors="replace")


def without_outputs(text: str, path: Path) -> list[str]:
    """Return the lines of a page without those that `make update` writes."""
    lines = text.split("\n")
    for snippet in reversed(parse(text, path).snippets if path.suffix == ".md" else []):
        if fence := snippet.output_fence:
            start = fence.line - 1
            while OUTPUT not in lines[start]:
                start -= 1
            while start > 0 and not lines[start - 1].strip():
                start -= 1
            del lines[start : fence.end_line]
    return lines


def same_words(one: list[str], other: list[str]) -> bool:
    """Return whether two texts are the same, blank lines aside."""
    return [line for line in one if line.strip()] == [line for line in other if line.strip()]


def behind(pair: Pair) -> PageError | None:
    """Return what has changed on the English side since it was translated, if anything has."""
    mend = f"bring the translation in line, then: {COMMAND} stamp {pair.target.as_posix()}"
    if pair.stamp is None:
        return PageError(pair.target, 1, f"nothing says which English text this translates: {COMMAND} stamp")
    now = pair.texts[0]
    if pair.stamp == blob_hash(now):
        return None
    old, source = stored(pair.root, pair.stamp), pair.source.as_posix()
    if old is None:
        rule = (
            f"{source} has changed since it was translated, and git hasn't got the text of then ({pair.stamp[:12]}), "
            f"as in a clone without history: `git fetch --unshallow`, and {COMMAND} check says what has changed; {mend}"
        )
        return PageError(pair.target, 1, rule)
    before, after = without_outputs(old, pair.source), without_outputs(now, pair.source)
    if same_words(before, after):
        return None
    lines = difflib.unified_diff(before, after, f"{source} as it was translated", f"{source} now", lineterm="", n=2)
    return PageError(pair.target, 1, f"{source} has changed since: {mend}\n" + "\n".join(lines))


def stamped(text: str, blob: str, is_lab: bool) -> str:
    """Return a translation that says which English text it is of."""
    if is_lab:
        if LAB_STAMP.search(text):
            return LAB_STAMP.sub(f"# <!-- translation_of: {blob} -->", text)
        head, marker, rest = text.partition("\n\n# %%")
        return f"{head}\n#\n# <!-- translation_of: {blob} -->{marker}{rest}"
    if STAMP.search(text):
        return STAMP.sub(f"translation_of: {blob}", text, count=1)
    lines = text.split("\n")
    end = front_matter_lines(lines)
    if not end:
        return f"---\ntranslation_of: {blob}\n---\n\n{text}"
    lines.insert(end - 1, f"translation_of: {blob}")
    return "\n".join(lines)


def english(path: Path) -> Path:
    """Return the page that a page is a translation of; of an English one, itself."""
    return Path("docs", ENGLISH, *path.parts[2:])


def follow(text: str, source: tuple[str, str] | None) -> str:
    """Return a translation that was up to date with the first of two English texts as one of the second."""
    found = STAMP.search(text) if source else None
    if source and found and found["hash"] == blob_hash(source[0]):
        return stamped(text, blob_hash(source[1]), is_lab=False)
    return text


def problems(root: Path, chosen: Sequence[Pair]) -> list[PageError]:
    """Return all that is wrong with translations."""
    found = []
    for pair in chosen:
        try:
            errors = check(pair)
        except PageError as unreadable:  # a lab
            errors = [unreadable]
        if (root / pair.source).is_file() and (root / pair.target).is_file() and (late := behind(pair)):
            errors.append(late)
        found += errors
    return found


# The command


def choose(root: Path, names: Sequence[str]) -> list[Pair]:
    """Return the pairs asked for, each by its name or by the path of either side.

    Raises:
        ValueError: if there is none of a name.
    """
    known = pairs(root, OTHERS if names else None)
    chosen = []
    for name in names:
        matching = [
            pair for pair in known if name in (pair.target.stem, pair.target.as_posix(), pair.source.as_posix())
        ]
        if not matching:
            raise ValueError(
                f"no page {name}: there are {', '.join(dict.fromkeys(pair.target.stem for pair in known))}"
            )
        chosen += matching
    return chosen if names else known


def slugs(pair: Pair) -> None:
    """Print the headings of the English page, each with its anchor."""
    for _, level, text, anchor, _ in headings(parse(read(pair.root / pair.source), pair.source)):
        print(f"{'#' * level} {text} {{ #{anchor} }}")


def stamp(pair: Pair) -> bool:
    """Note the English text as it is now, where the translation passes its check; return whether it does."""
    errors = check(pair)
    for error in errors:
        print(error)
    if not errors:
        text = stamped(pair.texts[1], blob_hash(pair.texts[0]), pair.is_lab)
        if text != pair.texts[1]:
            (pair.root / pair.target).write_bytes(text.encode())
            print(f"{pair.target.as_posix()}: a translation of {pair.source.as_posix()} as it is now")
    return not errors


def main(arguments: Sequence[str], root: Path | None = None) -> int:
    """Read the command line, do it, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog=COMMAND, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("slugs", "check", "stamp"))
    parser.add_argument(
        "pages", nargs="*", metavar="PAGE", help="only these (tree, docs/zh/tree.md or docs/en/tree.md)"
    )
    options = parser.parse_args(arguments)
    root = root or Path.cwd()
    try:
        chosen = choose(root, options.pages)
    except ValueError as unknown:
        parser.error(str(unknown))
    if options.what == "slugs":
        for pair in chosen:
            slugs(pair)
        return 0
    if options.what == "stamp":
        return 0 if all([stamp(pair) for pair in chosen]) else 1
    found = problems(root, chosen)
    for error in found:
        print(error)
    print(
        f"{len(chosen)} translations: " + (f"{len(found)} problem{'s' * (len(found) > 1)}" if found else "all is well")
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
