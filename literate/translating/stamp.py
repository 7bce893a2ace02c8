"""Note which English text a translation is of, and say what has changed since.

The front matter of a translation names the English text that it was made from, by the hash that git gives a file:
`translation_of`. A lab has it in a comment at the end of its first cell.
"""

import difflib
import hashlib
import subprocess
from pathlib import Path

from literate.reading.pages import OUTPUT, PageError, parse
from literate.reading.text import front_matter_lines
from literate.translating.compare import check
from literate.translating.pairs import COMMAND, LAB_STAMP, STAMP, Pair


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


def follow(text: str, source: tuple[str, str] | None) -> str:
    """Return a translation that was up to date with the first of two English texts as one of the second."""
    found = STAMP.search(text) if source else None
    if source and found and found["hash"] == blob_hash(source[0]):
        return stamped(text, blob_hash(source[1]), is_lab=False)
    return text


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
