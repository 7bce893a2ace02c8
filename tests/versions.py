"""Run the snippets and the unit tests on each torch and Python that we name: `python tests/versions.py`.

Each combination gets an environment of its own, made from requirements.lock with another torch, and removed after it:
a build of torch for CUDA takes several gigabytes, and runs on the CPU too. The last lines are a table of what ran. A
combination that can't be had here is said to be untried, which is no success: the exit status is 0 only if all ran.

    python tests/versions.py                             all of them
    python tests/versions.py 2.14.1:3.11 2.11.0:3.13     torch and Python of some
    python tests/versions.py --with PATH/TO/PYTHON       an environment that is there, and stays
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLAIMED = (  # what pyproject.toml and the pages say; a test holds the three together
    *("2.14.1:3.11", "2.13.0:3.11", "2.12.1:3.12", "2.12.1:3.13", "2.11.0:3.12", "2.11.0:3.13"),
    *("2.14.1:3.14",),
)
UNIT = ["pytest", "-rf", "tests", "--ignore-glob=*/test_site_*"]
STEPS = {
    "snippets": ["literate", "run"],
    "tests on PyTorch's": UNIT,
    "tests on ours": ["scratch", "-m", *UNIT],
}
COUNTS = re.compile(r"(?:\d+ \w+, )*\d+ (?:passed|failed|skipped|errors?)\b[^\n]*")
RUN = re.compile(r"(\d+) snippets? run on .* in [\d.]+ s: (.*)")


@dataclass
class Combination:
    """Hold one torch on one Python, and what became of it."""

    torch: str
    python: str
    said: dict[str, str] = field(default_factory=dict)
    failed: bool = False


def find_python(version: str) -> str | None:
    """Return an interpreter of a version like 3.12: from the path, from pyenv, or by the launcher of Windows."""
    folders = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions").glob(f"{version}.*"))
    for command in ([f"python{version}"], ["py", f"-{version}"], *([str(one / "bin" / "python")] for one in folders)):
        ask = [*command, "-c", "import sys; print(sys.executable, '%d.%d' % sys.version_info[:2])"]
        try:
            done = subprocess.run(ask, capture_output=True, text=True, timeout=60, check=False)
        except OSError:
            continue
        path, _, found = done.stdout.strip().rpartition(" ")
        if done.returncode == 0 and found == version:
            return path
    return None


def make(folder: Path, interpreter: str, torch: str) -> str | None:
    """Make an environment from the lock file with this torch; return its interpreter, or None if it can't be had."""
    python = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    lock = folder / "requirements.txt"
    for command in (
        [interpreter, "-m", "venv", str(folder)],
        [python, "-m", "pip", "install", "--quiet", "--upgrade", "pip"],
        [python, "-m", "pip", "install", "--quiet", "--no-compile", "-r", str(lock)],
    ):
        if command[0] == python and not lock.exists():
            text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
            text = re.sub(r"(?m)^torch==.*$", f"torch=={torch}", text)
            lock.write_text(re.sub(r"(?m)^setuptools==.*$", "setuptools", text), encoding="utf-8")  # torch says which
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            print(done.stdout[-2000:], flush=True)
            return None
    return python


def run(one: Combination, python: str, steps: list[str]) -> None:
    """Run the steps in an environment, and note how each ended."""
    cleared = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}
    for name in steps:
        began = time.monotonic()
        done = subprocess.run(
            [python, "-m", *STEPS[name]],
            cwd=ROOT,
            env={**os.environ, **cleared},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="backslashreplace",
            check=False,
        )
        one.failed |= done.returncode != 0
        if done.returncode:
            print(done.stdout[-20000:], flush=True)
        one.said[name] = summary(done.stdout, done.returncode)
        print(f"   {name}: {one.said[name]} ({time.monotonic() - began:.0f} s)", flush=True)


def summary(text: str, status: int) -> str:
    """Return what a step said of itself in its last lines, or its exit status where it said nothing."""
    if found := RUN.findall(text):
        count, verdict = found[-1]
        return f"{2 * int(count)} of {2 * int(count)}" if verdict == "all is well" else verdict
    if found := COUNTS.findall(text):
        return found[-1].partition(" in ")[0]
    return f"exit status {status}"


def table(combinations: list[Combination], steps: list[str]) -> str:
    """Return what ran as a table in Markdown."""
    rows = [["torch, Python", *steps]]
    for one in combinations:
        rows.append([f"{one.torch}, {one.python}", *(one.said.get(name, one.said.get("", "-")) for name in steps)])
    rows.insert(1, ["---"] * len(rows[0]))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main(arguments: list[str]) -> int:
    """Read the command line, run, print the table, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("what", nargs="*", metavar="TORCH:PYTHON", help=f"({' '.join(CLAIMED)})")
    parser.add_argument("--with", dest="ready", metavar="PYTHON", help="use this interpreter's environment as it is")
    parser.add_argument("--step", action="append", choices=STEPS, help="only this step (repeatable)")
    options = parser.parse_args(arguments)
    steps = options.step or [*STEPS]
    combinations = []
    for what in [""] if options.ready else options.what or CLAIMED:
        torch, _, version = what.partition(":")
        if options.ready:
            ask = "import sys, torch; print(torch.__version__.partition('+')[0], '%d.%d' % sys.version_info[:2])"
            torch, version = subprocess.check_output([options.ready, "-c", ask], text=True).split()
        elif not re.fullmatch(r"\d+\.\d+\.\d+:3\.\d+", what):
            parser.error(f"{what!r} is not a torch and a Python, like 2.13.0:3.11")
        combinations.append(one := Combination(torch, version))
        print(f"── torch {torch}, Python {version}", flush=True)
        if options.ready:
            run(one, options.ready, steps)
            continue
        interpreter = find_python(version)
        folder = Path(tempfile.mkdtemp(prefix=f"torch-{torch}-python-{version}-"))
        try:
            python = make(folder, interpreter, torch) if interpreter else None
            if python:
                run(one, python, steps)
            else:
                why = "its packages can't be installed here" if interpreter else f"no Python {version} here"
                one.said[""], one.failed = f"not tried: {why}", True
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{table(combinations, steps)}")
    return 1 if any(one.failed for one in combinations) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
