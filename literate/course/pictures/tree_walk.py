"""Find and draw the order in which a walk gives modules and parameters."""

from collections.abc import Iterator
from dataclasses import dataclass

from torch import nn

from literate.course.pictures.canvas import LETTER, WIDTH, Canvas, Words


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)


class GPT(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.wte = nn.Embedding(10, 4)
        self.h = nn.ModuleList([Block(), Block()])
        self.lm_head = nn.Linear(4, 10, bias=False)
        self.lm_head.weight = self.wte.weight


@dataclass
class Row:
    """One entry of a registry: a module or a parameter, at its depth, with its place in the walk (or none)."""

    name: str
    path: str
    depth: int
    kind: str
    type: str
    place: int | None
    same_as: int | None = None


def find_tree_walk() -> list[Row]:
    """Read the registries from the root down, and number what named_modules() and named_parameters() give."""
    model = GPT()
    modules = [name for name, _ in model.named_modules()]
    parameters = [name for name, _ in model.named_parameters()]
    given = {id(value): parameters.index(name) + 1 for name, value in model.named_parameters()}

    def rows(module: nn.Module, name: str, path: str, depth: int) -> Iterator[Row]:
        place = modules.index(path) + 1 if path in modules else None
        yield Row(name, path, depth, "module", type(module).__name__, place)
        prefix = f"{path}." if path else ""
        for child, value in module._parameters.items():
            if value is not None:
                full = prefix + child
                place = parameters.index(full) + 1 if full in parameters else None
                same_as = None if place else given[id(value)]
                yield Row(child, full, depth + 1, "parameter", type(value).__name__, place, same_as)
        for child, inner in module._modules.items():
            if inner is not None:
                yield from rows(inner, child, prefix + child, depth + 1)

    return list(rows(model, "model", "", 0))


def draw_tree_walk(say: Words) -> Canvas:
    found, canvas = find_tree_walk(), Canvas()
    step, indent, top = 29, 24, 62
    canvas.badge(10, 10, "1", "module", square=True)
    canvas.text(26, 10, "named_modules()", "module code")
    canvas.badge(10, 36, "1", "parameter")
    canvas.text(26, 36, "named_parameters()", "parameter code")
    canvas.text(WIDTH, 36, say("name"), "quiet", "end")
    where: list[tuple[float, float]] = []  # the mark of the last row at each depth
    for index, row in enumerate(found):
        x, y = 10.0 + indent * row.depth, top + 12.0 + step * index
        del where[row.depth :]
        if where:
            canvas.line("quiet", (where[-1][0], where[-1][1] + 10), (where[-1][0], y), (x - 11, y))
        where.append((x, y))
        if row.place is None:
            canvas.dot(x, y, 9, f"{row.kind} open dashed")
        else:
            canvas.badge(x, y, str(row.place), row.kind, square=row.kind == "module")
        canvas.text(x + 16, y, row.name, "code" + " strong" * (row.kind == "module"))
        after = x + 16 + LETTER * (len(row.name) + 1)
        if row.kind == "module":
            canvas.text(after, y, row.type, "code quiet")
        if row.same_as is not None:
            canvas.text(after, y, say("same", row.same_as), "quiet")
        if row.kind == "parameter":
            canvas.text(WIDTH, y, row.path, "parameter code" if row.place else "quiet code", "end")
        said = say("sentence", row.path or row.name, row.place) if row.place else say("tied", row.path, row.same_as)
        canvas.sentences.append(said)
    return canvas
