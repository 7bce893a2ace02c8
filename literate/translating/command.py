"""Say where translations are not as their pages, or behind them, and note that they are up to date."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from literate.reading.headings import headings
from literate.reading.pages import PageError, parse
from literate.translating.compare import check
from literate.translating.pairs import Pair, choose, read
from literate.translating.stamp import behind, stamp


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


def slugs(pair: Pair) -> None:
    """Print the headings of the English page, each with its anchor."""
    for _, level, text, anchor, _ in headings(parse(read(pair.root / pair.source), pair.source)):
        print(f"{'#' * level} {text} {{ #{anchor} }}")


def translate(options: argparse.Namespace, root: Path) -> int:
    """Do what the command line asks, and return the exit status."""
    chosen = choose(root, options.pages)
    if options.what == "slugs":
        for pair in chosen:
            slugs(pair)
        return 0
    if options.what == "stamp":
        return 0 if all([stamp(pair) for pair in chosen]) else 1
    found = problems(root, chosen)
    for error in found:
        print(error)
    verdict = f"{len(found)} problem{'s' * (len(found) > 1)}" if found else "all is well"
    print(f"{len(chosen)} translations: {verdict}")
    return 1 if found else 0
