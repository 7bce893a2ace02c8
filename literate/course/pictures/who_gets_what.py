"""Find and draw what happens to each kind of tensor that a Module holds."""

import torch
from torch import nn

from literate.course.pictures.canvas import WIDTH, Canvas, Words

KINDS = {
    "weight": ("parameter", "self.weight = nn.Parameter(torch.ones(3))"),
    "frozen": ("parameter", "self.frozen = nn.Parameter(torch.ones(3), requires_grad=False)"),
    "mean": ("buffer", 'self.register_buffer("mean", torch.ones(3))'),
    "mask": ("buffer", 'self.register_buffer("mask", torch.ones(3), persistent=False)'),
    "plain": ("quiet", "self.plain = torch.ones(3, requires_grad=True)"),
}
TREATMENTS = ("gradient", "trained", "saved", "moved")


def find_who_gets_what() -> dict[str, dict[str, bool]]:
    """Train, save and convert a Module that holds a tensor of each kind; return what happened to each."""
    module = nn.Module()
    for _, statement in KINDS.values():
        exec(statement, {"self": module, "nn": nn, "torch": torch})
    optimizer = torch.optim.SGD(module.parameters(), lr=0.5)
    before = {name: getattr(module, name).detach().clone() for name in KINDS}
    sum(getattr(module, name) for name in KINDS).sum().backward()  # type: ignore[union-attr]
    gradient = {name: getattr(module, name).grad is not None for name in KINDS}
    optimizer.step()
    trained = {name: not torch.equal(getattr(module, name), before[name]) for name in KINDS}
    saved = {name: name in module.state_dict() for name in KINDS}
    module.double()
    moved = {name: getattr(module, name).dtype is torch.float64 for name in KINDS}
    answers = dict(zip(TREATMENTS, (gradient, trained, saved, moved), strict=True))
    return {name: {treatment: answers[treatment][name] for treatment in TREATMENTS} for name in KINDS}


def draw_who_gets_what(say: Words) -> Canvas:
    found, canvas = find_who_gets_what(), Canvas()
    left, column, step = 164.0, 59.0, 50
    for index, treatment in enumerate(TREATMENTS):
        canvas.text(left + column * (index + 0.5), 10, say(treatment), "strong", "middle")
    for place, (name, answers) in enumerate(found.items()):
        colour, y = KINDS[name][0], 24.0 + step * place
        canvas.box(1, y, WIDTH - 2, step - 8, f"{colour} box" + " dashed" * (colour == "quiet"))
        canvas.text(10, y + 13, name, f"{colour} code strong")
        canvas.text(10, y + 30, say(name), "quiet")
        for index, treatment in enumerate(TREATMENTS):
            canvas.mark(left + column * (index + 0.5), y + 21, answers[treatment], colour)
        yes = [say(treatment) for treatment in TREATMENTS if answers[treatment]]
        canvas.sentences.append(say("sentence", name, say(name), ", ".join(yes) or say("nothing")))
    y = canvas.height + 18
    for index, treatment in enumerate(TREATMENTS):
        canvas.text(0, y + 22 * index, say(treatment), "strong")
        canvas.text(86, y + 22 * index, say(f"{treatment} means"), "quiet")
    return canvas
