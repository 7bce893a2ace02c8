"""Run other people's code on PyTorch's Module and on ours, and compare: `make wild`, and once a week on GitHub.

    python tests/wild.py               all of it
    python tests/wild.py --record      and write the figures to snippets/wild.json, for the page "Who runs on it"
    python tests/wild.py einops peft   only these libraries

It makes an environment of its own from wild-requirements.txt, with the Python that runs it. In it the programs of
wild_programs.py build a model of each library and write down all that it does, and libraries run their own tests. What
fails on both Modules in the same way is no difference. What can't be had on a machine is said, not passed over.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "tests" / "wild-requirements.txt"
PROGRAMS = ROOT / "tests" / "wild_programs.py"
RECORD = ROOT / "snippets" / "wild.json"
TORCH = "torch==2.13.0"
WAYS = ([], ["-m", "scratch"])  # before what Python is to run: PyTorch's Module, and ours
MINUTES = 20  # for the tests of one library, at most


@dataclass
class Tests:
    """Where a library's tests are, and which of them are run."""

    library: str
    where: str  # "sdist" (the source distribution) or the address of a repository
    folder: str
    chosen: tuple[str, ...] = (".",)


TESTS = [
    Tests("tensordict", "https://github.com/pytorch/tensordict", "test", ("nn",)),
    Tests("captum", "https://github.com/meta-pytorch/captum", "tests"),
    Tests("gpytorch", "sdist", "test", ("kernels", "likelihoods", "means", "models")),
]


class NotToBeHad(Exception):
    """Something that this machine has no way to get."""


def said(command, **how):
    """Run a command; raise what it said if it failed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{(done.stderr or done.stdout).strip()[-2000:]}")
    return done.stdout


def environment(folder):
    """Return the Python of the environment, which is made if it is not as the requirements say."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wanted = f"{TORCH} {sys.version.split()[0]}\n{REQUIREMENTS.read_text(encoding='utf-8')}"
    stamp = folder / "installed.txt"
    if not (python.exists() and stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted):
        print(f"Installing into {folder} (some minutes at the first time) ...", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        said([sys.executable, "-m", "venv", folder])
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        said([*install, "--upgrade", "pip"])
        said([*install, TORCH, "setuptools", "wheel"])
        said([*install, "--no-deps", "--no-build-isolation", "-r", REQUIREMENTS])
        stamp.write_text(wanted, encoding="utf-8")
    return python


def settings(**more):
    """Return the variables of a process in the environment."""
    kept = {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    return {**os.environ, **kept, "PYTHONDONTWRITEBYTECODE": "", **more}


def on_both(run):
    """Call a function for each Module, both at the same time; return what it returned for each."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(run, WAYS))


# --- the programs -----------------------------------------------------------------------------------------------------


def run_programs(python, names, folder):
    """Run the programs on both Modules; return for each library its version, its questions and its differences."""

    def run(way):
        file = folder / f"transcript-{len(way)}.json"
        said([python, *way, PROGRAMS, file, *names], cwd=folder, env=settings())
        return json.loads(file.read_text(encoding="utf-8"))

    theirs, ours = on_both(run)
    if Path(theirs["module"]).parts[-4:] != ("torch", "nn", "modules", "module.py"):
        raise RuntimeError(f"the first side was to run on PyTorch's Module, and ran on {theirs['module']}")
    if Path(ours["module"]) != ROOT / "scratch" / "module.py":
        raise RuntimeError(f"the second side was to run on our Module, and ran on {ours['module']}")
    found = {}
    for name, one in theirs["libraries"].items():
        other = ours["libraries"][name]
        if "failed" in one:
            found[name] = {"version": one["version"], "questions": 0, "differences": [f"does not run: {one['failed']}"]}
            continue
        asked = one["transcript"]
        answered = other.get("transcript", {question: other.get("failed") for question in asked})
        differences = [
            f"{question}: {first_difference(asked[question], answered[question])}"
            for question in asked
            if asked[question] != answered[question]
        ]
        found[name] = {"version": one["version"], "questions": len(asked), "differences": differences}
    return theirs["torch"], found


def first_difference(theirs, ours, path=""):
    """Say where two answers differ first."""
    if type(theirs) is type(ours) and isinstance(theirs, list | dict):
        keys = theirs if isinstance(theirs, dict) else range(len(theirs))
        for key in keys:
            if key not in (ours if isinstance(ours, dict) else range(len(ours))):
                return f"{path}[{key!r}] is there only on PyTorch's Module"
            if theirs[key] != ours[key]:
                return first_difference(theirs[key], ours[key], f"{path}[{key!r}]")
        return f"{path}: {len(ours) - len(theirs)} more on ours"
    return f"{path}: {str(theirs)[:200]!r} on PyTorch's, {str(ours)[:200]!r} on ours"


# --- the libraries' own tests -----------------------------------------------------------------------------------------


def sources(tests, python, folder):
    """Bring a library's tests into a folder, alone: beside its sources Python would import these."""
    version = said([python, "-c", f"import importlib.metadata as m; print(m.version({tests.library!r}))"]).strip()
    target = folder / tests.library
    try:
        if tests.where == "sdist":
            download = [python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            only = ["--no-binary", ":all:", "--no-build-isolation", "--dest", folder / "sdists"]
            said([*download, *only, f"{tests.library}=={version}"], timeout=300)
            (archive,) = (folder / "sdists").glob(f"{tests.library}-{version}.tar.gz")
            with tarfile.open(archive) as file:
                file.extractall(folder / "sources", filter="data")
            found = folder / "sources" / f"{tests.library}-{version}" / tests.folder
        else:
            found = folder / "clones" / tests.library
            asked_nothing = settings(GIT_TERMINAL_PROMPT="0")
            branch = ["--depth", "1", "--branch", f"v{version}"]
            said(["git", "clone", "--quiet", *branch, tests.where, found], timeout=300, env=asked_nothing)
            found = found / tests.folder
        shutil.copytree(found, target / tests.folder)
    except (RuntimeError, OSError, subprocess.TimeoutExpired, ValueError) as error:
        last = str(error).strip().splitlines()[-1]
        raise NotToBeHad(f"the tests of {tests.library} {version} ({tests.where}): {last}") from error
    return version, target / tests.folder


def run_tests(tests, python, folder):
    """Run a library's tests on both Modules; return its version, how each test ended and where that differs."""
    version, place = sources(tests, python, folder)

    def run(way):
        report = folder / f"{tests.library}-{len(way)}.xml"
        options = [
            "-q",
            "-p",
            "no:cacheprovider",
            "-W",
            "ignore",
            "--continue-on-collection-errors",
            f"--junitxml={report}",
        ]
        command = [python, *way, "-m", "pytest", *options, *tests.chosen]
        try:
            done = subprocess.run(
                command, cwd=place, env=settings(), capture_output=True, text=True, timeout=60 * MINUTES
            )
        except subprocess.TimeoutExpired:
            return {"": f"no end after {MINUTES} minutes"}
        if not report.is_file():
            return {"": f"pytest has ended with {done.returncode}: {done.stdout[-500:]}"}
        ended = {}
        for case in ElementTree.parse(report).iter("testcase"):
            kinds = [part.tag for part in case if part.tag in ("failure", "error", "skipped")]
            ended[f"{case.get('classname')}.{case.get('name')}"] = kinds[0] if kinds else "passed"
        return ended

    theirs, ours = on_both(run)
    differences = [
        f"{name}: {theirs.get(name, 'not run')} on PyTorch's, {ours.get(name, 'not run')} on ours"
        for name in {**theirs, **ours}
        if theirs.get(name) != ours.get(name)
    ]
    passed = sum(end == "passed" for end in theirs.values())
    return {"version": version, "tests": len(theirs), "passed": passed, "differences": differences}


# --- all of it --------------------------------------------------------------------------------------------------------


def show(name, found):
    """Print one line for a library, and its differences below."""
    what = f"{found['tests']} tests, {found['passed']} pass" if "tests" in found else f"{found['questions']} questions"
    print(f"  {name} {found['version']}: {what}, {len(found['differences'])} differences", flush=True)
    for difference in found["differences"][:20]:
        print(f"    {difference}", flush=True)


def main():
    """Run the programs and the tests; return 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="libraries; by default all")
    parser.add_argument("--environment", type=Path, default=ROOT / ".cache" / "wild", help="where it is installed")
    parser.add_argument("--programs-only", action="store_true", help="leave the libraries' own tests out")
    parser.add_argument(
        "--record", action="store_true", help=f"write the figures to {RECORD.relative_to(ROOT).as_posix()}"
    )
    options = parser.parse_args()
    if options.record and (options.names or options.programs_only):
        parser.error("--record writes the figures of a whole run: leave the names and --programs-only out")
    python = environment(options.environment.absolute())
    missing, tested = [], {}
    with tempfile.TemporaryDirectory() as name:
        folder, start = Path(name), time.monotonic()
        torch, programs = run_programs(python, options.names, folder)
        seconds = round(time.monotonic() - start)
        print(f"Programs of {len(programs)} libraries on torch {torch}, both Modules, in {seconds} s:")
        for library, found in programs.items():
            show(library, found)
        chosen = [one for one in TESTS if not options.names or one.library in options.names]
        print(f"The own tests of {len(chosen)} libraries:" * bool(chosen and not options.programs_only))
        for one in [] if options.programs_only else chosen:
            try:
                tested[one.library] = run_tests(one, python, folder)
                show(one.library, tested[one.library])
            except NotToBeHad as error:
                missing.append(one.library)
                print(f"  not to be had here: {error}", flush=True)
    differences = sum(len(found["differences"]) for found in (*programs.values(), *tested.values()))
    tests = sum(found["tests"] for found in tested.values())
    print(f"{len(programs)} programs and {tests:,} tests of {len(tested)} libraries: {differences} differences")
    if options.record:
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        where = {"torch": torch.partition("+")[0], "python": platform.python_version(), "date": today}
        record = {**where, "seconds": seconds, "programs": programs, "tests": tested, "missing": missing}
        RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(f"written to {RECORD.relative_to(ROOT).as_posix()}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
