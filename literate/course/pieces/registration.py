"""A stepper through an `__init__`: what each of its lines files."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from literate.course.pieces.view import Row, State, View, colour, marked, row, table

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


class Registration(View):
    """A stepper: the lines of __init__ are radio buttons, so that the arrow keys step."""

    def switches(self) -> str:
        lines = [self.radio("step", str(number), colour(line), number == 1) for number, line in enumerate(STATEMENTS)]
        buttons = "".join(
            f'<button type="button" data-step="{by}">{self.say(word)}</button>'
            for by, word in ((-1, "previous"), (1, "next"))
        )
        return self.form(self.group(self.say("switches"), *lines), f'<p class="piece-steps">{buttons}</p>')

    def rows(self, key: str) -> list[str]:
        before = self.before(key)
        return [row(self.say(where), self.names(names, before[where])) for where, names in self.states[key]["rows"]]

    def before(self, key: str) -> dict[str, list[str]]:
        """Return the rows of the step before; the first has nothing before it."""
        return dict(self.states[str(max(0, int(key) - 1))]["rows"])

    def names(self, names: Sequence[str], before: Sequence[str]) -> str:
        """Return names as HTML, with a mark on what is new or gone since the step before."""
        shown = [marked(name, "" if name in before else "ins", self.say("new")) for name in names]
        shown += [marked(name, "del", self.say("gone")) for name in before if name not in names]
        return " ".join(shown) or self.say("nothing")

    def note(self, key: str) -> str:
        return f"<p>{colour(STATEMENTS[int(key)], 'code')}</p><p>{self.filed(key)}</p>"

    def filed(self, key: str) -> str:
        place = self.states[key]["filed"]
        return self.say(
            "empty" if not place else "not filed" if place.endswith("__dict__") else "filed", place=str(place)
        )

    def printed(self) -> Iterable[str]:
        rows = []
        for key in self.states:
            now, before = dict(self.states[key]["rows"]), self.before(key)

            def changes(what: str, now: Any = now, before: Any = before) -> str:
                gained = [marked(name, "ins", "+", True) for name in now[what] if name not in before[what]]
                lost = [marked(name, "del", "\u2212", True) for name in before[what] if name not in now[what]]
                return " ".join(gained + lost)

            cells = [self.filed(key), changes("state_dict"), changes("parameters")]
            moves = [(self.say(word), changes(what)) for word, what in (("moves", "to"), ("leaves", "stays"))]
            cells.append("<br>".join(f"{word} {names}" for word, names in moves if names))
            rows.append(row(colour(STATEMENTS[int(key)], "code"), *(cell or self.say("nothing") for cell in cells)))
        yield table(self.say("printed"), self.say("printed head"), rows)
