"""Find and draw the graph that forward leaves behind."""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from literate.course.pictures.canvas import WIDTH, Canvas, Words


@dataclass
class Step:
    """One node of the graph that forward left behind; parameter is the one that the Module holds there, if any."""

    name: str
    depth: int
    side: int  # which of its parent's inputs it is, counted from the middle one
    parameter: str = ""
    inputs: list[int] = field(default_factory=list)


def find_backward_graph() -> list[Step]:
    """Run a small model, then walk from the loss's grad_fn to the leaves and recognize the Module's Parameters."""
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    loss = model(torch.ones(2, 3)).mean()
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    steps: list[Step] = []

    def walk(node: Any, depth: int, side: int) -> int:
        held = getattr(node, "variable", None)
        steps.append(Step(node.name().rsplit("::", 1)[-1], depth, side, names.get(id(held), "")))
        mine = len(steps) - 1
        inputs = [(place, node) for place, (node, _) in enumerate(node.next_functions)]
        for place, child in inputs:
            if child is not None:
                steps[mine].inputs.append(walk(child, depth + 1, side + place - len(inputs) // 2))
        return mine

    walk(loss.grad_fn, 0, 0)
    return steps


def draw_backward_graph(say: Words) -> Canvas:
    found, canvas = find_backward_graph(), Canvas()
    width, step, height = 126.0, 70.0, 40.0
    sides = sorted({node.side for node in found})
    column = {side: width / 2 + 1 + index * (WIDTH - width - 2) / (len(sides) - 1) for index, side in enumerate(sides)}
    canvas.text(column[0], 10, "loss.backward()", "gradient code strong", "middle")
    canvas.arrow("gradient", (column[0], 20), (column[0], 40))
    top = 42.0
    for node in found:
        x, y = column[node.side], top + step * node.depth
        for index in node.inputs:
            child = found[index]
            end = (column[child.side], top + step * child.depth - 3)
            start = (x + (end[0] - x) * 0.35, y + height + 2)
            canvas.arrow("gradient", start, end)
        kind = "parameter box" if node.parameter else "quiet open"
        canvas.box(x - width / 2, y, width, height, kind)
        if node.parameter:
            canvas.text(x, y + 12, node.name, "quiet code", "middle")
            canvas.text(x, y + 28, node.parameter, "parameter code strong", "middle")
        else:
            canvas.text(x, y + height / 2, node.name, "code", "middle")
    held = ", ".join(node.parameter for node in found if node.parameter)
    canvas.sentences.append(say("sentence", " → ".join(node.name for node in found if not node.side), held))
    y = canvas.height + 26
    canvas.box(1, y - 8, 22, 16, "quiet open", radius=4)
    canvas.text(32, y, say("autograd"), "quiet")
    canvas.box(1, y + 18, 22, 16, "parameter box", radius=4)
    canvas.text(32, y + 26, say("module"), "quiet")
    return canvas
