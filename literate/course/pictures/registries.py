"""Find and draw the three registries, filled by six assignments."""

import torch
from torch import nn

from literate.course.pictures.canvas import LETTER, WIDTH, Canvas, Words

ASSIGNMENTS = (
    "self.scale = nn.Parameter(\n    torch.ones(4))",
    'self.register_buffer(\n    "mask", torch.ones(2, 2))',
    "self.embed = nn.Embedding(10, 4)",
    "self.head = nn.Linear(4, 10)",
    "self.width = 4",
    "self.blocks = [nn.Linear(4, 4)]",
)
REGISTRIES = {"_parameters": "parameter", "_buffers": "buffer", "_modules": "module", "__dict__": "quiet"}


def find_registries() -> list[tuple[str, str, str, str]]:
    """Run each assignment on a bare Module; return (statement, registry, name, type of what is filed there)."""
    module = nn.Module()
    found = []
    for statement in ASSIGNMENTS:
        before = {registry: set(vars(module).get(registry, vars(module))) for registry in REGISTRIES}
        exec(statement, {"self": module, "nn": nn, "torch": torch})
        for registry in REGISTRIES:
            entries = vars(module).get(registry, vars(module))
            for name in [name for name in entries if name not in before[registry]]:
                found.append((statement, registry, name, type(entries[name]).__name__))
    return found


def draw_registries(say: Words) -> Canvas:
    found, canvas = find_registries(), Canvas()
    canvas.text(0, 10, say("written"), "quiet")
    canvas.text(WIDTH, 10, say("filed"), "quiet", "end")
    y, last = 18.0, ""
    for statement, registry, name, kind in found:
        colour = REGISTRIES[registry]
        if registry != last:
            count = sum(registry == other for _, other, _, _ in found)
            canvas.box(275, y + 12, WIDTH - 276, 32 + 44 * count, f"{colour} box" + " dashed" * (colour == "quiet"))
            canvas.text(285, y + 28, registry, f"{colour} code strong")
            y, last = y + 44, registry
        lines = statement.split("\n")
        for place, line in enumerate(lines):
            canvas.text(0, y + 17 + 18 * (place - (len(lines) - 1) / 2), line, "code")
        longest = max(len(line) for line in lines)
        canvas.arrow(colour, (longest * LETTER + 8, y + 17), (279, y + 17))
        canvas.text(285, y + 10, name, "code")
        canvas.text(285, y + 26, kind, "code quiet")
        canvas.sentences.append(say("sentence", " ".join(statement.split()), registry))
        y += 44
    return canvas
