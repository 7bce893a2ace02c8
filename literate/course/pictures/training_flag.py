"""Find and draw the flag that train and eval set, Module by Module."""

import copy
from collections import OrderedDict
from dataclasses import dataclass

import torch
from torch import nn

from literate.course.pictures.canvas import Canvas, Words

CALLS = ("model.train()", "model.eval()", "model.drop.train()")


@dataclass
class Flag:
    """One module of the tree: its flag after each call, and whether its output depends on it."""

    path: str
    type: str
    after: list[bool]
    reads: bool


def find_training_flag() -> list[Flag]:
    """Make the calls one after the other and read every flag; run each module in both modes and compare."""
    layers = {"fc": nn.Linear(4, 4), "norm": nn.BatchNorm1d(4), "drop": nn.Dropout(0.5)}
    model = nn.Sequential(OrderedDict(layers))
    x = torch.arange(12.0).reshape(3, 4)
    modules = dict(model.named_modules())
    after: dict[str, list[bool]] = {path: [] for path in modules}
    for call in CALLS:
        eval(call, {"model": model})
        for path, module in modules.items():
            after[path].append(module.training)
    found = []
    for path, module in modules.items():
        reads = False
        if path:
            alone = copy.deepcopy(module)
            reads = not torch.equal(alone.train()(x), alone.eval()(x))
        found.append(Flag(path, type(module).__name__, after[path], reads))
    return found


def draw_training_flag(say: Words) -> Canvas:
    found, canvas = find_training_flag(), Canvas()
    left, column, step = 112.0, 96.0, 50
    for index, call in enumerate(CALLS):
        owner, method = call.rsplit(".", 1)
        middle = left + column * (index + 0.5)
        canvas.text(middle, 10, owner, "code", "middle")
        canvas.text(middle, 27, f".{method}", "code strong", "middle")
        if index:
            canvas.arrow("quiet", (middle - column / 2 - 8, 27), (middle - column / 2 + 6, 27))
    for place, row in enumerate(found):
        y = 48.0 + step * place
        canvas.text(0 if not row.path else 20, y + 13, row.path or "model", "module code strong")
        canvas.text(0 if not row.path else 20, y + 30, row.type, "quiet code")
        if row.path:
            canvas.line("quiet", (6, 48.0 + 38), (6, y + 13), (15, y + 13))
        for index, flag in enumerate(row.after):
            x = left + column * index + 8
            canvas.box(x, y + 4, column - 16, 32, "module box" if flag else "quiet open dashed", radius=16)
            canvas.text(x + column / 2 - 8, y + 20, str(flag), "module code strong" if flag else "quiet code", "middle")
        canvas.sentences.append(say("sentence", row.path or "model", ", ".join(map(str, row.after))))
    readers = [row.path for row in found if row.reads]
    others = [row.path for row in found if row.path and not row.reads]
    y = canvas.height + 24
    canvas.text(0, y, say("reads", ", ".join(readers)), "quiet")
    canvas.text(0, y + 22, say("ignores", ", ".join(others)), "quiet")
    return canvas
