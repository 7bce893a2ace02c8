"""Say in figures, on the home page, what the programs of the course have been run on: <!-- literate: figures -->.

They are counted in snippets/record.json when the site is built, for the programs and the scratch/module.py as they are
then; nothing of it stands on the page.
"""

import html
from collections.abc import Sequence
from pathlib import Path

from literate.reading.files import digest
from literate.reading.pages import Snippet, read_pages, snippets
from literate.reading.repository import MODULE, RECORD
from literate.reading.words import say
from literate.running import record
from literate.showing.card import NAMES, load_record


def figures(root: Path, language: str) -> str:
    """Return the figures for the programs of a language's pages as one line of HTML, empty where none was run."""
    book, module = root / RECORD, root / MODULE
    if not (book.is_file() and module.is_file()):
        return ""
    programs = snippets(read_pages(root / "docs" / language, root))
    try:
        known = load_record(book, book.stat().st_mtime_ns)
    except record.RecordError:
        return ""  # the first card of a snippet says so
    return written(count(programs, known, digest(module.read_bytes())), len(programs), language)


def count(programs: Sequence[Snippet], known: record.Record, module: str) -> list[list[dict[str, str]]]:
    """Return the recorded runs of each program that was run on both Modules on some device."""
    found = []
    for program in programs:
        runs = known.entries_for(program.digest, module)
        devices = {run["device"] for run in runs}
        both = {on for on in devices if {run["module"] for run in runs if run["device"] == on} >= set(record.MODULES)}
        if counted := [run for run in runs if run["device"] in both]:
            found.append(counted)
    return found


def written(found: list[list[dict[str, str]]], programs: int, language: str) -> str:
    """Return what was counted as HTML: a list of values and what each of them means."""
    if not found:
        return ""
    between, runs = say(language, "figures.between"), [run for group in found for run in group]
    devices = []
    for device in sorted({run["device"] for run in runs}):
        names = sorted({run["device_name"] for run in runs if run["device"] == device})
        name = f"{NAMES.get(device, device)} ({between.join(names)})"
        on = sum(any(run["device"] == device for run in group) for group in found)
        devices.append(name if on == len(found) else say(language, "figures.partly", name=name, count=on))
    versions = sorted({run["torch"].partition("+")[0] for run in runs})
    every = len(found) == programs
    listed = [
        (
            str(programs) if every else say(language, "figures.some", run=len(found), all=programs),
            say(language, "figures.programs" if every else "figures.programs some"),
        ),
        (
            str(len(record.MODULES)),
            say(language, "figures.modules", names=between.join(NAMES[name] for name in record.MODULES)),
        ),
        (
            str(len(devices)),
            say(language, "figures.device" if len(devices) == 1 else "figures.devices", names=between.join(devices)),
        ),
        (between.join(versions), say(language, "figures.torch" if len(versions) == 1 else "figures.torches")),
        (max(run["date"] for run in runs), say(language, "figures.when")),
    ]
    rows = "".join(
        f"<div><dt>{html.escape(meaning)}</dt><dd>{html.escape(value)}</dd></div>" for value, meaning in listed
    )
    return (
        f'<div role="group" aria-label="{say(language, "figures.all")}"><dl class="literate-figures">{rows}</dl></div>'
    )
