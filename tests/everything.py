"""Run everything that CI runs: `make test`. Or only some steps: `python tests/everything.py lint unit`.

Two steps run at a time, and what a step prints is shown when it ends; a single step shows it as it comes. A failing
step does not keep the others from running. The last lines say which tests were the slowest, what was skipped and why,
and which steps failed.
"""

import io
import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = [sys.executable, "-m"]
SCRATCH = [*PYTHON, "scratch", "-m"]
SLOWEST = 10
PYTEST = ["pytest", "-rfEs", f"--durations={SLOWEST}", "--durations-min=0.1"]
PAGES = ["docs/en", "docs/zh"]
SHOWING = threading.Lock()
SETTINGS = {
    "NO_MKDOCS_2_WARNING": "1",
    "PYTHONDONTWRITEBYTECODE": "",  # nothing: what is imported stays compiled, for the hundred processes that follow
    "PYTHONUNBUFFERED": "1",
    "PYTHONUTF8": "1",
    "OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // 2)),  # two steps share the cores
}

STEPS = {  # the long ones first, so that they don't end last, alone
    "unit": (
        "the unit tests, on PyTorch's Module, and those of the tools",
        [*PYTHON, *PYTEST, "tests", "--ignore-glob=*/test_site_*"],
    ),
    "site": (
        "the site in both languages, strictly, by both tools, and in a browser",
        [*PYTHON, *PYTEST, "tests/test_site_pages.py", "tests/test_site_browser.py", "tests/test_site_reading.py"],
    ),
    "unit-ours": ("the unit tests, on our Module", [*SCRATCH, *PYTEST, "tests"]),
    "labs": ("each lab on both Modules, cell by cell", [*PYTHON, "literate", "labs"]),
    "matrix": ("each snippet on both Modules and each device", [*PYTHON, "literate", "run"]),
    "types": ("mypy agrees with the types of scratch/ and literate/", [*PYTHON, "mypy"]),
    "blocks": ("pytest --codeblocks, on PyTorch's Module", [*PYTHON, *PYTEST, "--codeblocks", *PAGES]),
    "blocks-ours": ("pytest --codeblocks, on ours", [*SCRATCH, *PYTEST, "--codeblocks", *PAGES]),
    "check": ("pages, translations, snippets and record agree", [*PYTHON, "literate", "check"]),
    "lint": ("ruff finds nothing to mend", [*PYTHON, "ruff", "check", "."]),
    "format": ("the code is formatted", [*PYTHON, "ruff", "format", "--check", "."]),
}


@dataclass
class Report:
    """What became of the steps."""

    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    slow: list[tuple[float, str]] = field(default_factory=list)  # seconds, and of which test


def run(name: str, report: Report, live: bool) -> None:
    """Run one step, show what it prints, and note how it ended and what it skipped."""
    title, command = STEPS[name]
    lines = [f"\n── {name}: {title}\n   {' '.join(['python', *command[1:]])}\n"]
    start = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **SETTINGS},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="backslashreplace",
    )
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if live:
            print("".join(lines), end="", flush=True)
            lines.clear()
        if found := re.match(r"(?:SKIPPED|skipped:?)\s+(.*)", line.strip()):
            report.skipped.append(f"{name}: {found[1]}")
        if found := re.fullmatch(r"([\d.]+)s (call|setup|teardown) +(\S.*)", line.strip()):
            report.slow.append((float(found[1]), f"{name}: {found[3]}{'' if found[2] == 'call' else ', ' + found[2]}"))
    code = process.wait()
    if code:
        report.failed.append(name)
    lines.append(f"   {'FAILED' if code else 'passed'} in {time.monotonic() - start:.0f} s\n")
    with SHOWING:
        print("".join(lines), end="", flush=True)


def main(names: list[str]) -> int:
    """Run the named steps, or all, and return the exit status."""
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        print(f"no such step: {', '.join(unknown)}; there are: {', '.join(STEPS)}", file=sys.stderr)
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    names = names or list(STEPS)
    report = Report()
    start = time.monotonic()
    print(f"Running {len(names)} steps; each is shown when it ends ..." if len(names) > 1 else "", flush=True)
    with ThreadPoolExecutor(2) as pool:
        for step in [pool.submit(run, name, report, len(names) == 1) for name in names]:
            step.result()
    print(f"\n── {len(names) - len(report.failed)} of {len(names)} steps passed in {time.monotonic() - start:.0f} s")
    if report.slow:
        print("The slowest tests:")
    for seconds, test in sorted(report.slow, reverse=True)[:SLOWEST]:
        print(f"  {seconds:6.1f} s  {test}")
    print("Skipped:" if report.skipped else "Nothing was skipped.")
    for line in sorted(set(report.skipped)):
        print(f"  {line}")
    for name in report.failed:
        print(f"FAILED: {name}, {STEPS[name][0]}. Alone: python tests/everything.py {name}")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
