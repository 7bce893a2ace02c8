"""Say in figures, on the home page, what the programs of the course have been run on: <!-- literate: figures -->.

They are counted in snippets/record.json when the site is built, for the programs and the scratch/module.py as they are
then; nothing of it stands on the page.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from literate.reading.pages import Snippet, read_pages, snippets
from literate.running import record

FIGURES = "<!-- literate: figures -->"
NAMES = {"torch": "torch.nn", "scratch": "scratch", "cpu": "CPU", "cuda": "CUDA"}
WORDS = {
    "en": {
        "all": "In figures: what the programs of this course have been run on",
        "programs": "programs on these pages, each of them run",
        "some": "{run} of {all}",
        "programs some": "programs on these pages run as they are now",
        "modules": "Modules: {names}",
        "devices": "devices: {names}",
        "device": "device: {names}",
        "partly": "{name} for {count} programs",
        "torch": "version of PyTorch",
        "torches": "versions of PyTorch",
        "when": "last recorded run",
        "between": ", ",
    },
    "zh": {
        "all": "数字：本课程的程序在哪里跑过",
        "programs": "个程序，页面上的每一个都跑过",
        "some": "{run} / {all}",
        "programs some": "个程序，按现在的样子跑过",
        "modules": "个 Module：{names}",
        "devices": "种设备：{names}",
        "device": "种设备：{names}",
        "partly": "{name}（{count} 个程序）",
        "torch": "PyTorch 版本",
        "torches": "PyTorch 版本",
        "when": "最近一次记录的运行",
        "between": "、",
    },
}


def figures(root: Path, language: str) -> str:
    """Return the figures for the programs of a language's pages as one line of HTML, empty where none was run."""
    book, module = root / "snippets" / "record.json", root / "scratch" / "module.py"
    if not (book.is_file() and module.is_file()):
        return ""
    programs = snippets(read_pages(root / "docs" / language, root))
    try:
        known = record.load(book)
    except record.RecordError:
        return ""  # the first card of a snippet says so
    return written(count(programs, known, record.digest(module.read_bytes())), len(programs), language)


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
    words, runs = WORDS[language], [run for group in found for run in group]
    devices = []
    for device in sorted({run["device"] for run in runs}):
        names = sorted({run["device_name"] for run in runs if run["device"] == device})
        name = f"{NAMES.get(device, device)} ({words['between'].join(names)})"
        on = sum(any(run["device"] == device for run in group) for group in found)
        devices.append(name if on == len(found) else words["partly"].format(name=name, count=on))
    versions = sorted({run["torch"].partition("+")[0] for run in runs})
    every = len(found) == programs
    listed = [
        (
            str(programs) if every else words["some"].format(run=len(found), all=programs),
            words["programs" if every else "programs some"],
        ),
        (
            str(len(record.MODULES)),
            words["modules"].format(names=words["between"].join(NAMES[name] for name in record.MODULES)),
        ),
        (
            str(len(devices)),
            words["device" if len(devices) == 1 else "devices"].format(names=words["between"].join(devices)),
        ),
        (words["between"].join(versions), words["torch" if len(versions) == 1 else "torches"]),
        (max(run["date"] for run in runs), words["when"]),
    ]
    rows = "".join(
        f"<div><dt>{html.escape(meaning)}</dt><dd>{html.escape(value)}</dd></div>" for value, meaning in listed
    )
    return f'<div role="group" aria-label="{words["all"]}"><dl class="literate-figures">{rows}</dl></div>'
