"""Find and draw a move that keeps the Parameters and changes what is in them."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from literate.course.pictures.canvas import WIDTH, Canvas, Words


@dataclass
class Moved:
    """One tensor of a Module before and after ``.double()``: is it the same object, is it the same memory."""

    path: str
    colour: str
    type: str
    before: str
    after: str
    same_object: bool
    same_memory: bool
    holders: dict[str, str]  # who held it from before -> "before", "after" or "both": the object that is held now


def find_move_keeps_parameters() -> list[Moved]:
    """Convert a trained BatchNorm; compare identity and memory, and see what the earlier references point to."""
    norm = nn.BatchNorm1d(2)
    optimizer = torch.optim.SGD(norm.parameters(), lr=0.1)
    norm(torch.tensor([[1.0, 2.0], [3.0, 5.0]])).sum().backward()
    mean = norm.running_mean
    references = {"optimizer": optimizer.param_groups[0]["params"][0], "mean = norm.running_mean": mean}
    paths = {"norm.weight": "parameter", "norm.weight.grad": "gradient", "norm.running_mean": "buffer"}

    def read() -> dict[str, Any]:
        return {path: eval(path, {"norm": norm}) for path in paths}

    old = read()
    kinds = {path: (tensor.dtype, tensor.data_ptr()) for path, tensor in old.items()}
    norm.double()
    new = read()
    found = []
    for path, colour in paths.items():
        same = old[path] is new[path]
        holders = {}
        for holder, tensor in references.items():
            if tensor is old[path]:
                holders[holder] = "both" if same else "before"
        before, pointer = kinds[path]
        kept = pointer == new[path].data_ptr()
        then, now = (str(dtype).removeprefix("torch.") for dtype in (before, new[path].dtype))
        found.append(Moved(path, colour, type(new[path]).__name__, then, now, same, kept, holders))
    return found


def draw_move_keeps_parameters(say: Words) -> Canvas:
    found, canvas = find_move_keeps_parameters(), Canvas()
    half, height, memory = WIDTH / 2 - 22, 34, 32
    sides = {"before": 1.0, "after": WIDTH - 1 - half}
    canvas.text(1 + half / 2, 10, say("before"), "quiet", "middle")
    canvas.arrow("quiet", (WIDTH / 2 - 14, 10), (WIDTH / 2 + 14, 10))
    canvas.text(WIDTH - 1 - half / 2, 10, say("after"), "quiet", "middle")
    y = 30.0
    for row in found:
        canvas.text(0, y + 10, row.path, f"{row.colour} code strong")
        canvas.text(WIDTH, y + 10, say("one object" if row.same_object else "two objects"), "quiet", "end")
        y += 26
        if row.same_object:
            canvas.box(1, y, WIDTH - 2, height, f"{row.colour} open", radius=17)
            canvas.text(WIDTH / 2, y + height / 2, row.type, f"{row.colour} code", "middle")
        else:
            for x in sides.values():
                canvas.box(x, y, half, height, f"{row.colour} open", radius=17)
                canvas.text(x + half / 2, y + height / 2, row.type, f"{row.colour} code", "middle")
        for side, dtype in (("before", row.before), ("after", row.after)):
            x, middle = sides[side], sides[side] + half / 2
            stale = row.same_object and side == "before" and not row.same_memory
            canvas.line(row.colour + " dashed" * stale, (middle, y + height), (middle, y + height + 16), head=not stale)
            canvas.box(x, y + height + 18, half, memory, f"{row.colour} " + ("open dashed" if stale else "box"), 2)
            canvas.text(middle, y + height + 18 + memory / 2, dtype, "quiet code" if stale else "code", "middle")
        canvas.sentences.append(say("kept" if row.same_object else "replaced", row.path, row.before, row.after))
        y += height + 18 + memory
        for holder, side in row.holders.items():
            canvas.text(0, y + 18, say(f"held {side}", holder), "quiet")
            y += 26
        y += 18
    return canvas
