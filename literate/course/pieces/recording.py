"""Record what the interactive pieces show: every combination of their switches, run on both Modules."""

import argparse
import contextlib
import io
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from literate.course.pieces.catalogue import PIECES
from literate.course.pieces.view import State
from literate.reading.files import digest, replace_files
from literate.reading.pages import Page
from literate.reading.repository import MODULE, UsageError
from literate.running.record import MODULES
from literate.running.run import PREFIX

FOLDER = Path("snippets", "pieces")


class PieceError(UsageError):
    """Say why a piece could not be recorded."""


def record(name: str) -> dict[str, State]:
    """Run every combination of a piece's switches in this process, by the switches' values joined with hyphens."""
    function, switches = PIECES[name]
    return {"-".join(values): function(*values) for values in itertools.product(*switches)}


def record_on_both(names: Iterable[str], root: Path) -> tuple[str, dict[str, dict[str, State]]]:
    """Record pieces on each Module, in a process of its own, and return the version of torch and what both show.

    Raises:
        PieceError: if a run fails, or the Modules differ.
    """
    names = list(names)
    packages = [str(Path(__file__).resolve().parents[3]), os.environ.get("PYTHONPATH", "")]
    own = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, packages)), "PYTHONUTF8": "1"}
    command = ["-m", "literate.course.pieces.recording", *names]
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    running = {
        module: subprocess.Popen([sys.executable, *prefix, *command], cwd=root, env=own, **streams)
        for module, prefix in ((module, PREFIX[module]) for module in MODULES)
    }
    found = {}
    for module, process in running.items():
        out, errors = process.communicate()
        if process.returncode:
            raise PieceError(f"the pieces could not be recorded on {module}:\n{errors}")
        found[module] = json.loads(out)
    (first, one), (second, other) = found.items()
    for name in names:
        for key, state in one["pieces"][name].items():
            if state != (theirs := other["pieces"][name][key]):
                shown = f"{first}: {json.dumps(state)}\n{second}: {json.dumps(theirs)}"
                raise PieceError(f"the piece {name} differs at {key}:\n{shown}")
    return one["torch"], one["pieces"]


def digest_of(root: Path) -> str:
    """Return a digest of what decides what is recorded: the pieces, and scratch/module.py."""
    files = [*sorted(Path(__file__).parent.glob("*.py")), root / MODULE]
    return digest(b"\0".join(file.read_bytes() for file in files))


def file_of(name: str) -> Path:
    """Return where a piece's record lies."""
    return FOLDER / f"{name}.json"


def named(pages: Iterable[Page]) -> list[str]:
    """Return the names of the pieces that pages show."""
    return list(dict.fromkeys(one.argument for page in pages for one in page.directives if one.word == "piece"))


def update(pages: Iterable[Page], root: Path) -> list[Path]:
    """Record the pieces of these pages, and return the files that have changed.

    Raises:
        PieceError: if a run fails, or the Modules differ.
    """
    names = named(pages)
    if not names:
        return []
    version, states = record_on_both(names, root)
    contents = {file_of(name): written(name, digest_of(root), version, states[name]) for name in names}
    changed = {
        path: data
        for path, data in contents.items()
        if not (root / path).is_file() or (root / path).read_bytes() != data
    }
    replace_files(root, changed)
    return list(changed)


def written(name: str, of: str, version: str, states: dict[str, State]) -> bytes:
    """Return a record as a file: each different row once, and a line for each state."""
    rows: dict[str, int] = {}
    lines = []
    for key, state in states.items():
        numbers = [rows.setdefault(json.dumps(row), len(rows)) for row in state["rows"]]
        lines.append(f"{json.dumps(key)}: {json.dumps({**state, 'rows': numbers})}")
    head = {"piece": name, "of": of, "torch": version.partition("+")[0]}
    text = json.dumps(head)[:-1] + ',\n"rows": [\n' + ",\n".join(rows) + '\n],\n"states": {\n'
    return (text + ",\n".join(lines) + "\n}}\n").encode()


def read(name: str, root: Path) -> dict[str, Any]:
    """Return the record of a piece, with the rows in its states."""
    found = json.loads((root / file_of(name)).read_text(encoding="utf-8"))
    for state in found["states"].values():
        state["rows"] = [found["rows"][number] for number in state["rows"]]
    return found


def problems(pages: Iterable[Page], root: Path) -> list[str]:
    """Return a line for each record that is missing, is of something else than there is now, or belongs to no page."""
    names = named(pages)
    lines = []
    for name in names:
        path = root / file_of(name)
        if not path.is_file():
            lines.append(f"{file_of(name).as_posix()}: the piece {name} isn't recorded")
        elif f'"of": "{digest_of(root)}"' not in path.read_text(encoding="utf-8").partition("\n")[0]:
            lines.append(f"{file_of(name).as_posix()}: literate/course/pieces or scratch/module.py has changed since")
    there = sorted((root / FOLDER).glob("*.json"))
    return lines + [f"{file_of(path.stem).as_posix()}: no page shows it" for path in there if path.stem not in names]


def main(arguments: Sequence[str]) -> int:
    """Record pieces on the Module of this process, and print them as JSON."""
    parser = argparse.ArgumentParser(
        prog="python -m literate.course.pieces.catalogue", description=__doc__.partition("\n\n")[0]
    )
    parser.add_argument("names", nargs="+", metavar="PIECE", choices=PIECES)
    options = parser.parse_args(arguments)
    import torch

    with contextlib.redirect_stdout(io.StringIO()):
        found = {name: record(name) for name in options.names}
    print(json.dumps({"torch": torch.__version__, "pieces": found}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
