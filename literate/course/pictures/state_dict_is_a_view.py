"""Find and draw a state_dict that reads the memory of the model, and a copy that has its own."""

import copy
from dataclasses import dataclass

import torch
from torch import nn

from literate.course.pictures.canvas import WIDTH, Canvas, Words

HOLDERS = ("model = nn.Linear(1, 1)", "state = model.state_dict()", "kept = copy.deepcopy(state)")


@dataclass
class Memory:
    """One piece of memory: its value before and after the step, and the holders that read it."""

    entry: str
    before: float
    after: float
    holders: list[str]


def find_state_dict_is_a_view() -> list[Memory]:
    """Take a state_dict and a copy of it, make one training step, and group what each holds by its memory."""
    model = nn.Linear(1, 1)
    nn.init.constant_(model.weight, 1.0)
    nn.init.constant_(model.bias, 0.0)
    state = model.state_dict()
    kept = copy.deepcopy(state)
    held = {
        HOLDERS[0]: dict(model.named_parameters()),
        HOLDERS[1]: dict(state),
        HOLDERS[2]: dict(kept),
    }
    memories: dict[int, Memory] = {}
    for holder, entries in held.items():
        for entry, tensor in entries.items():
            memory = memories.setdefault(tensor.data_ptr(), Memory(entry, tensor.item(), 0.0, []))
            memory.holders.append(holder)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    model(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    for entries in held.values():
        for tensor in entries.values():
            memories[tensor.data_ptr()].after = tensor.item()
    return list(memories.values())


def draw_state_dict_is_a_view(say: Words) -> Canvas:
    found, canvas = find_state_dict_is_a_view(), Canvas()
    program = [*HOLDERS, "loss.backward(); optimizer.step()"]
    for index, statement in enumerate(program):
        canvas.text(0, 10 + 20 * index, statement, "code")
    entries = list(dict.fromkeys(memory.entry for memory in found))
    width, height, gap = (WIDTH - 70) / len(entries) - 10, 34, 28
    left = {entry: 68 + index * (width + 16) for index, entry in enumerate(entries)}
    y = 20.0 * len(program) + 16
    drawn: dict[int, float] = {}  # the lower edge of each piece of memory that is on the paper already
    for holder in HOLDERS:
        canvas.text(0, y + height / 2, holder.split()[0], "code strong")
        mine = [memory for memory in found if holder in memory.holders]
        for memory in mine:
            middle = left[memory.entry] + width / 2
            canvas.box(left[memory.entry], y, width, height, "parameter open dashed", radius=17)
            canvas.text(middle, y + height / 2, memory.entry, "parameter code", "middle")
            if id(memory) in drawn:
                canvas.arrow("parameter", (middle, y - 3), (middle, drawn[id(memory)] + 3))
        new = [memory for memory in mine if id(memory) not in drawn]
        y += height
        for memory in new:
            middle = left[memory.entry] + width / 2
            canvas.arrow("parameter", (middle, y + 3), (middle, y + gap - 3))
            canvas.box(left[memory.entry], y + gap, width, 50, "parameter box", radius=2)
            same = memory.before == memory.after
            values = f"{memory.before:.1f}" if same else f"{memory.before:.1f} → {memory.after:.1f}"
            canvas.text(middle, y + gap + 17, values, "code strong", "middle")
            canvas.text(middle, y + gap + 36, say("untouched" if same else "stepped"), "quiet", "middle")
            drawn[id(memory)] = y + gap + 50
            sharing = ", ".join(holder.split()[0] for holder in memory.holders)
            canvas.sentences.append(say("sentence", memory.entry, sharing, values))
        if new:
            canvas.text(0, y + gap + 25, say("memory"), "quiet")
            y += gap + 50
        y += gap
    return canvas
