"""Run everything that CI runs, step by step: `make test`. Or only some steps: `python tests/everything.py lint unit`.

A failing step does not keep the later ones from running. The last lines say which steps failed, and what was
skipped and why.
"""

import io
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = [sys.executable, "-m"]
SCRATCH = [*PYTHON, "scratch", "-m"]
PYTEST = ["pytest", "-rs"]

STEPS = {
    "lint": ("ruff finds nothing to mend", [*PYTHON, "ruff", "check", "."]),
    "format": ("the code is formatted", [*PYTHON, "ruff", "format", "--check", "."]),
    "types": ("mypy agrees with the types of literate/", [*PYTHON, "mypy"]),
    "check": ("pages, snippets and pictures agree", [*PYTHON, "literate", "check"]),
    "matrix": ("each snippet on both Modules and each device", [*PYTHON, "literate", "run"]),
    "blocks": ("pytest --codeblocks, on PyTorch's Module", [*PYTHON, *PYTEST, "--codeblocks", "docs/en"]),
    "blocks-ours": ("pytest --codeblocks, on ours", [*SCRATCH, *PYTEST, "--codeblocks", "docs/en"]),
    "site": ("the site, strictly", [*PYTHON, "mkdocs", "build", "--strict", "--quiet"]),
    "unit-ours": ("the unit tests, on our Module", [*SCRATCH, *PYTEST, "tests"]),
    "unit": ("the unit tests, on PyTorch's Module, and those of the tools and the site", [*PYTHON, *PYTEST, "tests"]),
}


@dataclass
class Report:
    """What became of the steps."""

    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


def run(name: str, report: Report) -> None:
    """Run one step, show what it prints as it comes, and note its end and what it skipped."""
    title, command = STEPS[name]
    shown = " ".join(["python", *command[1:]])
    print(f"\n── {name}: {title}\n   {shown}", flush=True)
    start = time.monotonic()
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="", flush=True)
        if found := re.match(r"(?:SKIPPED|skipped:?)\s+(.*)", line.strip()):
            report.skipped.append(f"{name}: {found[1]}")
    code = process.wait()
    seconds = time.monotonic() - start
    (report.failed if code else report.passed).append(name)
    print(f"   {'FAILED' if code else 'passed'} in {seconds:.1f} s", flush=True)


def main(names: list[str]) -> int:
    """Run the named steps, or all, and return the exit status."""
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        print(f"no such step: {', '.join(unknown)}; there are: {', '.join(STEPS)}", file=sys.stderr)
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    report = Report()
    start = time.monotonic()
    for name in names or STEPS:
        run(name, report)
    print(f"\n── {len(report.passed)} steps passed in {time.monotonic() - start:.0f} s")
    print("Skipped:" if report.skipped else "Nothing was skipped.")
    for line in dict.fromkeys(report.skipped):
        print(f"  {line}")
    for name in report.failed:
        print(f"FAILED: {name}, {STEPS[name][0]}. Alone: python tests/everything.py {name}")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
