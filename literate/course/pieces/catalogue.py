"""Record what the interactive pieces of the pages show: every combination of their switches, run on both Modules.

    python -m literate update     runs each piece of the pages, and writes snippets/pieces/NAME.json

A piece is a function that runs once for each combination of its switches, and returns what was to be seen as rows of
words. All of them run on PyTorch's Module and on ours, which have to show the same. The page looks rows up and computes
nothing: no behaviour is written a second time in the browser. On a page `<!-- literate: piece NAME -->` stands for it.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import io
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from literate.reading.pages import Page
from literate.running.run import PREFIX
from literate.writing.extract import MODULE, replace_files

FOLDER = Path("snippets", "pieces")
Row = list[Any]  # the words of one row; a list among them is a list of names
State = dict[str, Any]  # rows of a table, and what else there is to say


class PieceError(Exception):
    """Say why a piece could not be recorded."""


# --8<-- [start:registration]
STATEMENTS = (
    "super().__init__()",
    "self.fc = nn.Linear(2, 2)",
    "self.scale = nn.Parameter(torch.ones(2))",
    "self.mean = nn.Buffer(torch.zeros(2))",
    "self.mask = nn.Buffer(torch.ones(2, 2), persistent=False)",
    "self.last = torch.zeros(2)",
    "self.blocks = [nn.Linear(2, 2)]",
    "self.width = 2",
    "self.head = nn.Linear(2, 2)",
    "self.head.weight = self.fc.weight",
    "self.scale = None",
)
REGISTRIES = ("_parameters", "_buffers", "_modules")


def registration(step: str) -> State:
    """Build the class as far as one of its lines, and return what is filed where and what three methods then see."""
    import torch
    from torch import nn

    statements = STATEMENTS[: int(step) + 1]
    body = "\n".join(f"        {line}" for line in statements)
    names: dict[str, Any] = {"torch": torch, "nn": nn}
    exec(f"class Net(nn.Module):\n    def __init__(self):\n{body}\n", names)
    net = names["Net"]()
    rows: list[Row] = [[registry, list(getattr(net, registry))] for registry in REGISTRIES]
    rows.append(["__dict__", [name for name in vars(net) if not name.startswith("_") and name != "training"]])
    rows.append(["state_dict", list(net.state_dict())])
    rows.append(["parameters", [name for name, _ in net.named_parameters()]])
    net.to(torch.float64)
    moved = {name: tensor.dtype == torch.float64 for name, tensor in _tensors(net)}
    rows.append(["to", [name for name, went in moved.items() if went]])
    rows.append(["stays", [name for name, went in moved.items() if not went]])
    return {"rows": rows, "filed": _filed(net, statements[-1])}


def _tensors(net: Any) -> Iterator[tuple[str, Any]]:
    """Give every tensor that can be reached from a Module, also those that it doesn't know of."""
    import torch

    yield from net.named_parameters(remove_duplicate=False)
    yield from net.named_buffers(remove_duplicate=False)
    for name, value in vars(net).items():
        if isinstance(value, torch.Tensor):
            yield name, value
        elif isinstance(value, list):
            for number, layer in enumerate(value):
                yield from ((f"{name}[{number}].{inner}", tensor) for inner, tensor in layer.named_parameters())


def _filed(net: Any, statement: str) -> str:
    """Return where the name on the left of a statement is found afterwards."""
    written = ast.parse(statement).body[0]
    if not isinstance(written, ast.Assign):
        return ""
    target = written.targets[0]
    assert isinstance(target, ast.Attribute)
    owner = ast.unparse(target.value)
    holder = eval(owner, {"self": net})
    places = [name for name in (*REGISTRIES, "__dict__") if target.attr in getattr(holder, name)]
    assert len(places) == 1, places
    return f"{owner}.{places[0]}"


# --8<-- [end:registration]

# --8<-- [start:hooks]
SWITCHES = ("pre", "forward", "kwargs", "always", "backward-pre", "backward", "global", "raises")


def hooks(*switches: str) -> State:
    """Register the hooks that are switched on, call a layer, run backward, and return who was given what, in order."""
    import torch
    from torch import nn
    from torch.nn.modules import module as everywhere

    on = {name: switch == "1" for name, switch in zip(SWITCHES, switches, strict=True)}
    rows: list[Row] = []

    class Scale(nn.Module):
        def forward(self, x: Any, *, by: float = 1.0) -> Any:
            rows.append(["forward", shown({"x": x, "by": by})])
            if on["raises"]:
                raise ValueError("no")
            return x * by

    def saw(who: str, *given: str) -> Callable[..., None]:
        return lambda module, *values: rows.append([who, shown(dict(zip(given, values, strict=True)))])

    layer = Scale()
    with_kwargs, keywords = {"with_kwargs": on["kwargs"]}, ["kwargs"] * on["kwargs"]
    always = {"always_call": on["always"]}
    gradients = ("grad_input", "grad_output")
    handles = []
    if on["pre"]:
        handles.append(layer.register_forward_pre_hook(saw("pre", "args", *keywords), **with_kwargs))
    if on["forward"]:
        look = saw("forward hook", "args", *keywords, "result")
        handles.append(layer.register_forward_hook(look, **with_kwargs, **always))
    if on["backward-pre"]:
        handles.append(layer.register_full_backward_pre_hook(saw("backward-pre", "grad_output")))
    if on["backward"]:
        handles.append(layer.register_full_backward_hook(saw("backward", *gradients)))
    if on["global"]:
        handles += [
            everywhere.register_module_forward_pre_hook(saw("global pre", "args")),
            everywhere.register_module_forward_hook(saw("global forward hook", "args", "result")),
            everywhere.register_module_full_backward_pre_hook(saw("global backward-pre", "grad_output")),
            everywhere.register_module_full_backward_hook(saw("global backward", *gradients)),
        ]
    x = torch.tensor(2.0, requires_grad=True)
    try:
        y = layer(x, by=3.0)
    except ValueError:
        rows.append(["raised", ""])
    else:
        rows.append(["returned", shown({"y": y})])
        y.backward()
        rows.append(["done", shown({"x.grad": x.grad})])
    finally:
        for handle in handles:
            handle.remove()
    ran = [who for who, _ in rows if who not in ("forward", "raised", "returned", "done")]
    return {"rows": rows, "hooks": len(ran), "end": next(row for row in rows if row[0] in ("raised", "returned"))}


def shown(values: dict[str, Any]) -> str:
    """Return names with their values, tensors as the numbers that they hold."""
    return ", ".join(f"{name}={_number(value)}" for name, value in values.items())


def _number(value: Any) -> str:
    import torch

    if isinstance(value, torch.Tensor):
        return str(value.item())
    if isinstance(value, tuple):
        return f"({', '.join(map(_number, value))}{',' * (len(value) == 1)})"
    return repr(value)


# --8<-- [end:hooks]


# --8<-- [start:loading]
def loading(model: str, strict: str, assign: str) -> State:
    """Load a checkpoint into one of three models, and return what became of each key, and what the call gave."""
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, classes: int = 3) -> None:
            super().__init__()
            self.body = nn.Linear(2, 4)
            self.head = nn.Linear(4, classes)

    class Renamed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Linear(2, 4)
            self.norm = nn.LayerNorm(4)
            self.classifier = nn.Linear(4, 3)

    saved = Net().to(torch.bfloat16)
    for parameter in saved.parameters():
        nn.init.constant_(parameter, 7.0)
    checkpoint = saved.state_dict()
    into: nn.Module = {"same": Net, "renamed": Renamed, "classes": lambda: Net(classes=5)}[model]()
    before = dict(into.named_parameters())
    shapes = {name: list(tensor.shape) for name, tensor in into.state_dict().items()}
    try:
        result = into.load_state_dict(checkpoint, strict=strict == "1", assign=assign == "1")
        said, missing, unexpected = str(result), result.missing_keys, result.unexpected_keys
    except RuntimeError as error:
        said = f"RuntimeError: {error}"
        missing, unexpected = (_quoted(said, f"{kind} key(s)") for kind in ("Missing", "Unexpected"))
    verdicts = {name: "size" for name in re.findall(r"size mismatch for ([\w.]+):", said)}
    verdicts |= {name: "missing" for name in missing} | {name: "unexpected" for name in unexpected}
    rows: list[Row] = []
    after = dict(into.named_parameters())
    for name in dict.fromkeys([*shapes, *checkpoint]):
        row: Row = [name, shapes.get(name), list(checkpoint[name].shape) if name in checkpoint else None]
        row.append(verdicts.get(name, "match"))
        if name in after:
            row.append("checkpoint" if bool((after[name] == 7.0).all()) else "own")
            row.append(str(after[name].dtype).removeprefix("torch."))
            row.append("same" if after[name] is before[name] else "new")
        rows.append(row)
    return {"rows": rows, "said": re.sub(r"\s*\n\s*", "\n", said).strip()}


def _quoted(text: str, start: str) -> list[str]:
    """Return what stands in quotation marks on the line of an error that begins so."""
    lines = [line for line in text.split("\n") if line.strip().startswith(start)]
    return [name for line in lines for name in re.findall(r'"([^"]+)"', line)]


# --8<-- [end:loading]

ON_OFF = ("0", "1")
PIECES: dict[str, tuple[Callable[..., State], tuple[Sequence[str], ...]]] = {
    "registration": (registration, (tuple(map(str, range(len(STATEMENTS)))),)),
    "hooks": (hooks, (ON_OFF,) * len(SWITCHES)),
    "loading": (loading, (("same", "renamed", "classes"), ON_OFF, ON_OFF)),
}

# Recording


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
    command = ["-m", "literate.course.pieces.catalogue", *names]
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    running = {
        module: subprocess.Popen([sys.executable, *prefix, *command], cwd=root, env=own, **streams)
        for module, prefix in PREFIX.items()
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


def digest(root: Path) -> str:
    """Return a digest of what decides what is recorded: this file, and scratch/module.py."""
    parts = [Path(__file__).read_bytes(), (root / MODULE).read_bytes()]
    return hashlib.sha256(b"\0".join(part.replace(b"\r\n", b"\n") for part in parts)).hexdigest()


def file_of(name: str) -> Path:
    """Return where a piece's record lies."""
    return FOLDER / f"{name}.json"


def named(pages: Iterable[Page]) -> list[str]:
    """Return the names of the pieces that pages show."""
    return list(dict.fromkeys(name for page in pages for name in page.pieces))


def update(pages: Iterable[Page], root: Path) -> list[Path]:
    """Record the pieces of these pages, and return the files that have changed.

    Raises:
        PieceError: if a run fails, or the Modules differ.
    """
    names = named(pages)
    if not names:
        return []
    version, states = record_on_both(names, root)
    contents = {file_of(name): written(name, digest(root), version, states[name]) for name in names}
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
        elif f'"of": "{digest(root)}"' not in path.read_text(encoding="utf-8").partition("\n")[0]:
            lines.append(f"{file_of(name).as_posix()}: its code or scratch/module.py has changed since")
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
