"""Draw the pictures of the pages, each from a real object: ``python -m literate draw``.

Every picture has two functions. ``find_<name>`` builds a Module, runs it, and returns what it found: which registry
holds a name, which hook ran first, whose memory is whose. ``draw_<name>`` lays that out. No behaviour is written down
here: if PyTorch behaved otherwise, the picture would come out otherwise, and ``--check`` would say so.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import re
import runpy
import subprocess
import sys
import textwrap
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import nn

from literate.course.pictures.canvas import LETTER, WIDTH, Canvas
from literate.course.pictures.labels import LABELS
from literate.site.building import settings_file

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Words:
    """The words of one picture in one language: ``say("label", value)``."""

    picture: str
    language: str

    def __call__(self, label: str, *values: object) -> str:
        return LABELS[self.language][self.picture][label].format(*values)


# --- registries -------------------------------------------------------------------------------------------------------

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


# --- tree-walk --------------------------------------------------------------------------------------------------------


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


# --- who-gets-what ----------------------------------------------------------------------------------------------------

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


# --- gpt --------------------------------------------------------------------------------------------------------------

GPT_FILE = Path("snippets", "a-gpt-on-it", "gpt.py")
FATES = ("trained", "decayed", "saved", "moved")
TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass
class Filed:
    """A tensor that a Module holds under a name: its shape, and what happens to it."""

    name: str
    path: str
    kind: str  # "parameter" or "buffer"
    shape: tuple[int, ...]
    fates: tuple[bool, ...]  # as FATES
    same_as: str | None = None  # the path under which a walk has given the same object before


@dataclass
class Part:
    """A Module of the GPT with what it files itself; `repeated` for one that stands for several alike."""

    name: str
    path: str
    depth: int
    type: str
    tensors: list[Filed]
    repeated: int = 1


def find_gpt() -> list[Part]:
    """Build the page's GPT at GPT-2's size, and see what each part files and what becomes of it."""
    page = runpy.run_path(str(ROOT / GPT_FILE), run_name="gpt")
    with torch.device("meta"):  # sizes without numbers
        model = page["GPT"](page["Config"]())
    config = page["Config"](vocab_size=2, block_size=2, n_layer=model.config.n_layer, n_head=1, n_embd=2)
    moved = page["GPT"](config).to("meta")
    saved = model.state_dict()
    decay = {
        id(parameter): group["weight_decay"]
        for group in model.configure_optimizers(lr=1.0).param_groups
        for parameter in group["params"]
    }
    seen: dict[int, str] = {}

    def parts(module: nn.Module, name: str, path: str, depth: int) -> Iterator[Part]:
        tensors = []
        for kind, held in (("parameter", module._parameters), ("buffer", module._buffers)):
            for own, tensor in held.items():
                if tensor is None:
                    continue
                full = f"{path}.{own}".removeprefix(".")
                at_last = moved.get_submodule(path)
                fates = (
                    id(tensor) in decay,
                    decay.get(id(tensor), 0) > 0,
                    full in saved,
                    getattr(at_last, own).is_meta,
                )
                same_as = seen.get(id(tensor))
                tensors.append(Filed(own, full, kind, tuple(tensor.shape), fates, same_as))
                seen.setdefault(id(tensor), full)
        yield Part(name, path, depth, type(module).__name__, tensors)
        for child, inner in module._modules.items():
            if inner is not None:
                yield from parts(inner, child, f"{path}.{child}".removeprefix("."), depth + 1)

    return fold(list(parts(model, "model", "", 0)))


def fold(found: list[Part]) -> list[Part]:
    """Leave out each Module that files the same as the one before it in the same list, and count it there."""
    kept: list[Part] = []
    at = 0
    while at < len(found):
        branch = [found[at]]
        while at + len(branch) < len(found) and found[at + len(branch)].depth > found[at].depth:
            branch.append(found[at + len(branch)])
        at += len(branch)
        first = branch[0]
        before = next((part for part in reversed(kept) if part.depth <= first.depth), None)
        rest = fold(branch[1:])
        listed = before is not None and before.depth == first.depth and first.name.isdigit()
        if before and listed and form(kept[kept.index(before) :]) == form([first, *rest]):
            before.repeated += 1
        else:
            kept += [first, *rest]
    return kept


def form(branch: list[Part]) -> list[tuple[object, ...]]:
    """Return all of a branch but its own names: what two branches share that are alike."""
    return [
        (
            part.name if place else "",
            part.depth,
            part.type,
            part.repeated if place else 1,
            [(one.name, one.kind, one.shape, one.fates, one.same_as) for one in part.tensors],
        )
        for place, part in enumerate(branch)
    ]


def draw_gpt(say: Words) -> Canvas:
    found, canvas = find_gpt(), Canvas()
    times: list[int] = []  # how often each part is there, by what it lies in
    groups: dict[tuple[str, int, tuple[bool, ...]], int] = {}
    for part in found:
        del times[part.depth :]
        times.append(part.repeated * (times[-1] if times else 1))
        for one in part.tensors:
            if one.same_as is None:
                key = (one.kind, len(one.shape), one.fates)
                groups[key] = groups.get(key, 0) + times[-1]
    left, column = 112.0, 72.0
    for index, fate in enumerate(FATES):
        canvas.text(left + column * (index + 0.5), 10, say(fate), "strong", "middle")
    y = 24.0
    for (kind, dimensions, fates), count in groups.items():
        canvas.box(1, y, WIDTH - 2, 28, look(kind, dimensions), radius=4)
        canvas.text(10, y + 14, say(f"{kind} {dimensions}", count), kind)
        for index, answer in enumerate(fates):
            canvas.mark(left + column * (index + 0.5), y + 14, answer, kind)
        yes = [say(fate) for fate, answer in zip(FATES, fates, strict=True) if answer]
        canvas.sentences.append(say("group", say(f"{kind} {dimensions}", count), ", ".join(yes)))
        y += 34
    y += 14
    canvas.text(260, y, "weight", "quiet code")
    canvas.text(344, y, "bias", "quiet code")
    y += 8
    places: dict[str, float] = {}
    tops = {part.path: y + 25 * row for row, part in enumerate(found)}
    for part in found:
        if part.repeated > 1:
            inside = [other for other in found if f"{other.path}.".startswith(f"{part.path}.")]
            canvas.box(18, tops[part.path] + 1, WIDTH - 30, 25 * len(inside) - 2, "module open dashed")
        middle, x = tops[part.path] + 12.5, 2.0 + 12 * part.depth
        name = part.name if part.repeated == 1 else f"{part.name}…{int(part.name) + part.repeated - 1}"
        canvas.text(x, middle, name, "module code strong")
        canvas.text(x + LETTER * (len(name) + 1), middle, part.type, "quiet code")
        for one in part.tensors:
            shape = TIMES.join(map(str, one.shape))
            own = one.name not in ("weight", "bias")
            text = f"{one.name} {shape}" if own else shape
            start, width = (340, 40) if one.name == "bias" else (256, LETTER * len(text) + 8)
            places[one.path] = middle
            kind = look(one.kind, len(one.shape)) if one.same_as is None else f"{one.kind} open dashed"
            canvas.box(start, middle - 10, width, 20, kind, radius=4)
            canvas.text(start + 4, middle, text, f"{one.kind} code")
            if one.same_as is not None:
                end = start + width
                bracket = [(end, places[one.same_as]), (396, places[one.same_as]), (396, middle), (end + 3, middle)]
                canvas.arrow(one.kind, *bracket)
                canvas.sentences.append(say("same", one.path, one.same_as))
        if part.tensors:
            listed = ", ".join(f"{one.name} {TIMES.join(map(str, one.shape))}" for one in part.tensors)
            canvas.sentences.append(say("sentence", part.path, listed))
        if part.repeated > 1:
            canvas.sentences.append(say("repeated", part.path, part.repeated))
    canvas.reach(y + 25 * len(found))
    return canvas


def look(kind: str, dimensions: int) -> str:
    """Return the classes of a box: filled for what has two dimensions, open for what has one."""
    return f"{kind} {'box' if dimensions > 1 else 'open'}"


# --- state-dict-is-a-view ---------------------------------------------------------------------------------------------

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


# --- move-keeps-parameters --------------------------------------------------------------------------------------------


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


# --- training-flag ----------------------------------------------------------------------------------------------------

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


# --- hook-order -------------------------------------------------------------------------------------------------------

HOOKS = (  # registered in this order, which is none of the orders in which they run
    "register_full_backward_hook",
    "register_full_backward_pre_hook",
    "register_forward_hook",
    "register_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
)


@dataclass
class Event:
    """Something that happened during a call or its backward: what it was given, what its return value replaced."""

    name: str
    backward: bool
    given: list[str] = field(default_factory=list)
    replaces: str = ""

    @property
    def everywhere(self) -> bool:
        return self.name.startswith("register_module_")


def run_hooks(names: tuple[str, ...], doubling: str = "") -> tuple[list[Event], dict[str, torch.Tensor]]:
    """Call a layer with these hooks on it and go backward; the hook named by doubling returns twice what it could."""
    events: list[Event] = []
    values: dict[str, torch.Tensor] = {}
    arguments: dict[str, tuple[Any, ...]] = {}

    class Layer(nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            values["args"] = x.detach().clone()
            events.append(Event("forward", backward=False))
            return super().forward(x)

    layer = Layer(2, 3)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.arange(1.0, 1.0 + parameter.numel()).reshape(parameter.shape))

    def hook_for(name: str) -> Callable[..., Any]:
        def hook(module: nn.Module, *given: Any) -> Any:
            events.append(Event(name, backward="backward" in name))
            arguments[name] = given
            if name != doubling:
                return None
            mine = given[1] if name.endswith("forward_hook") else given[0]
            return tuple(2 * value for value in mine) if isinstance(mine, tuple) else 2 * mine

        return hook

    handles = [
        getattr(nn.modules.module if name.startswith("register_module_") else layer, name)(hook_for(name))
        for name in names
    ]
    handles.append(
        layer.weight.register_post_accumulate_grad_hook(lambda _: events.append(Event("weight.grad", backward=True)))
    )
    x = torch.tensor([[0.5, 0.25]], requires_grad=True)
    output = layer(x)
    output.retain_grad()
    values["output"] = output.detach().clone()
    (output * torch.tensor([2.0, 5.0, 7.0])).sum().backward()
    for handle in handles:
        handle.remove()
    assert output.grad is not None and layer.weight.grad is not None and x.grad is not None
    values |= {"grad_output": output.grad, "weight.grad": layer.weight.grad, "grad_input": x.grad}
    for event in events:
        for given in arguments.get(event.name, ()):
            value = given[0] if isinstance(given, tuple) else given
            event.given += [known for known in values if torch.equal(values[known], value)]
    return events, values


def find_hook_order() -> list[Event]:
    """Record a call and its backward; then, hook by hook, find the first value that its return value changes."""
    events, plain = run_hooks(HOOKS)
    for event in events:
        if event.name in HOOKS:
            _, changed = run_hooks((event.name,), doubling=event.name)
            order = {"args": "args", "output": "output", "weight.grad": "grad_output", "grad_input": "grad_input"}
            event.replaces = next(said for seen, said in order.items() if not torch.equal(changed[seen], plain[seen]))
    return events


def draw_hook_order(say: Words) -> Canvas:
    found, canvas = find_hook_order(), Canvas()
    canvas.text(34, 10, say("given"), "quiet")
    canvas.text(WIDTH - 8, 10, say("replaces"), "quiet", "end")
    y, phase = 24.0, None
    for place, event in enumerate(found):
        colour = "gradient" if event.backward else "hook"
        if event.backward is not phase:
            phase = event.backward
            y += 8 if place else 0
            canvas.text(0, y + 10, "loss.backward()" if phase else "output = layer(x)", f"{colour} code strong")
            y += 28
        hook = event.name in HOOKS
        height = 46 if hook else 34
        if place + 1 < len(found) and found[place + 1].backward is phase:
            canvas.line(colour, (12, y + height / 2 + 10), (12, y + height + 12))
        canvas.badge(12, y + height / 2, str(place + 1), colour)
        if hook:
            canvas.box(34, y, WIDTH - 35, height, f"{colour} box" + " dashed" * event.everywhere)
            canvas.text(44, y + 15, event.name, f"{colour} code strong")
            canvas.text(44, y + 33, ", ".join(event.given), "code")
            canvas.text(WIDTH - 10, y + 33, f"return {event.replaces}", "code", "end")
            if event.everywhere:
                canvas.text(WIDTH - 10, y + 15, say("global"), "quiet", "end")
        else:
            canvas.text(44, y + height / 2, say(event.name), f"{colour} strong")
        canvas.sentences.append(f"{place + 1}. {event.name if hook else say(event.name)}.")
        y += height + 8
    return canvas


# --- backward-graph ---------------------------------------------------------------------------------------------------


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


# --- import-finder ----------------------------------------------------------------------------------------------------

ASKED = ("torch.nn.modules.linear", "torch.nn.modules.module")

# Runs in a fresh interpreter: what the finders of this process answered is long past.
RECORD_IMPORTS = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
import scratch
scratch.install()
asked = {}
def recorded(finder):
    class Recorder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            spec = finder.find_spec(name, path, target)
            kind = finder if isinstance(finder, type) else type(finder)
            asked.setdefault(name, []).append((kind.__module__, kind.__name__, spec and spec.origin))
            return spec
    return Recorder
# scratch.companions only waits for other modules: it has no part in the answers to these two.
apart = [finder for finder in sys.meta_path if type(finder).__module__ == "scratch.companions"]
sys.meta_path[:] = [recorded(finder) for finder in sys.meta_path if finder not in apart] + apart
import torch
base, layer = torch.nn.Linear.__mro__[1], torch.nn.Linear
assert base is sys.modules["torch.nn.modules.module"].Module, base
print(json.dumps([asked, f"class {layer.__name__}({base.__name__})"]))
"""


@dataclass
class Answer:
    """One finder of sys.meta_path, asked for a module: the last two parts of the file it answered with, or none."""

    finder: str
    ours: bool
    file: str


@cache  # it starts an interpreter
def find_import_finder() -> tuple[dict[str, list[Answer]], str]:
    """Import torch with our finder in place; record for two of its modules who was asked and who answered.

    Returns:
        The answers for each module, and the head of the class in the first that stands on a class of the second.
    """
    path = json.dumps([str(ROOT), *sys.path])
    command = [sys.executable, "-S", "-c", RECORD_IMPORTS, path]  # -S: no finders that installed packages add
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    asked, statement = json.loads(done.stdout)
    found = {}
    for name in ASKED:
        answers = []
        for home, finder, origin in asked[name]:
            ours = home.split(".")[0] == "scratch"
            keep = 2 if origin and Path(origin).parent.name == "scratch" else 4
            file = "/".join(Path(origin).parts[-keep:]) if origin else ""
            answers.append(Answer(f"{home}.{finder}" if ours else finder, ours, file))
        found[name] = answers
    return found, statement


def draw_import_finder(say: Words) -> Canvas:
    (found, statement), canvas = find_import_finder(), Canvas()
    width, height, step = WIDTH / 2 - 10, 34, 66
    lanes = {name: 1 + place * (width + 18) for place, name in enumerate(found)}
    canvas.text(0, 10, "import torch", "code strong")
    canvas.text(WIDTH, 10, say("asks"), "quiet", "end")
    for name, x in lanes.items():
        canvas.text(x + width / 2, 40, name, "code", "middle")
        canvas.arrow("quiet", (x + width / 2, 50), (x + width / 2, 69))
    bottom = {}
    deepest = max(len(answers) for answers in found.values())
    for place in range(deepest):
        y = 72.0 + step * place
        asked = [name for name, answers in found.items() if place < len(answers)]
        answer = found[asked[0]][place]
        kind, right = ("module", lanes[asked[-1]] + width) if answer.ours else ("quiet", lanes[asked[-1]] + width)
        canvas.box(lanes[asked[0]], y, right - lanes[asked[0]], height, f"{kind} box")
        middle = (lanes[asked[0]] + right) / 2
        canvas.text(middle, y + height / 2, answer.finder, f"{kind} code strong", "middle")
        for name in asked:
            x = lanes[name] + width / 2
            canvas.arrow(kind if found[name][place].file else "quiet", (x, y + height + 3), (x, y + step - 3))
            if not found[name][place].file:
                canvas.text(x + 10, y + height + 15, "None", "quiet code")
            bottom[name] = y + step
    edges = {}
    for name, answers in found.items():
        folder, file = answers[-1].file.rsplit("/", 1)
        kind = "module" if answers[-1].ours else "quiet"
        canvas.box(lanes[name], bottom[name], width, 48, f"{kind} box", radius=2)
        canvas.text(lanes[name] + width / 2, bottom[name] + 15, f"{folder}/", "quiet code", "middle")
        canvas.text(lanes[name] + width / 2, bottom[name] + 33, file, f"{kind} code strong", "middle")
        edges[name] = bottom[name]
        said = say("sentence", name, ", ".join(answer.finder for answer in answers), answers[-1].file)
        canvas.sentences.append(said)
    user, base = ASKED
    corner = lanes[base] + width / 2
    path = [(lanes[user] + width + 3, edges[user] + 24), (corner, edges[user] + 24), (corner, edges[base] + 51)]
    canvas.arrow("module", *path)
    canvas.text(lanes[user] + width + 14, edges[user] + 41, statement, "code")
    return canvas


# --- chapters ---------------------------------------------------------------------------------------------------------

INCLUDE = re.compile(r'^\s*--8<-- "scratch/module\.py:([\w-]+)"', re.MULTILINE)
MARKER = re.compile(r"# --8<-- \[(start|end):([\w-]+)\]")


def find_chapters(language: str = "en") -> tuple[list[tuple[str, str, list[str]]], list[str]]:
    """Read the navigation, the pages and the file: (file, title, sections it shows) of each page, and all sections."""
    within: dict[str, str] = {}  # each marked part of the file -> the section that it lies in
    opened: list[str] = []
    for mark, part in MARKER.findall((ROOT / "scratch" / "module.py").read_text(encoding="utf-8")):
        if mark == "end":
            opened.remove(part)
            continue
        opened.append(part)
        helpers = [outer for outer in opened if outer.endswith("-helpers")]
        within[part] = helpers[0] if helpers else opened[0]
    sections = [section for section in dict.fromkeys(within.values()) if not section.endswith("-helpers")]
    for part, place in within.items():  # a section's helpers stand above the class
        if place.endswith("-helpers"):
            name = place.removesuffix("-helpers")
            within[part] = next(section for section in sections if section.startswith(name))
    chapters = []
    for title, file in re.findall(
        r"^  - (.+): ([\w-]+\.md)$", (ROOT / settings_file(language)).read_text(encoding="utf-8"), re.MULTILINE
    ):
        if file in ("index.md", "about.md", "reference.md"):
            continue
        page = (ROOT / "docs" / language / file).read_text(encoding="utf-8")
        chapters.append((file, title, list(dict.fromkeys(within[part] for part in INCLUDE.findall(page)))))
    return chapters, sections


def draw_chapters(say: Words) -> Canvas:
    (chapters, sections), canvas = find_chapters(say.language), Canvas()
    card, step, top = 212.0, 46.0, 30.0
    canvas.text(0, 10, say("chapters"), "quiet")
    canvas.text(WIDTH, 10, "scratch/module.py", "module code", "end")
    bottom = top + step * len(chapters) - 8
    height = (bottom - top) / len(sections)
    left = 273.0
    middle = {section: top + height * (place + 0.5) for place, section in enumerate(sections)}
    canvas.box(left, top, WIDTH - left - 1, bottom - top, "module box", radius=2)
    for place, section in enumerate(sections):
        canvas.text(left + 9, middle[section], section, "code")
        if place:
            canvas.line("module dashed", (left, top + height * place), (WIDTH - 1, top + height * place))
    for place, (file, title, shown) in enumerate(chapters):
        y = top + step * place
        canvas.link(f"{file.removesuffix('.md')}/")  # as the home page, beside the others, links
        canvas.box(1, y, card, step - 8, "hook box")
        canvas.text(8, y + (step - 8) / 2, title, "hook small")
        canvas.parts.append("</a>")
        for section in shown:
            canvas.curve("hook", (card + 4, y + (step - 8) / 2), (left - 3, middle[section]))
        canvas.sentences.append(say("sentence", title, ", ".join(shown)) if shown else f"{title}.")
    return canvas


# --- what the sugar costs ---------------------------------------------------------------------------------------------


def find_costs() -> dict[str, Any]:
    """Read what `make bench` noted last."""
    return json.loads((ROOT / "docs" / "en" / "downloads" / "benchmark.json").read_text(encoding="utf-8"))


def short_time(nanoseconds: float) -> str:
    """Write a time with three digits and the unit that suits it."""
    unit, size = next((unit, size) for unit, size in (("ms", 1e6), ("µs", 1e3), ("ns", 1)) if nanoseconds >= size)
    return f"{nanoseconds / size:.3g} {unit}" if nanoseconds / size < 999.5 else f"{nanoseconds / size:,.0f} {unit}"


def draw_costs(say: Words) -> Canvas:
    found, canvas = find_costs(), Canvas()
    left, right, low, high = 268.0, WIDTH - 14, 0.3, 1.8

    def across(ratio: float) -> float:
        share = math.log(min(max(ratio, low), high) / low) / math.log(high / low)
        return left + share * (right - left)

    rows = [*found["rows"], {"name": "geometric mean", "ratio": found["geometric_mean"]}]
    bottom = 40 + 40.0 * len(rows)
    canvas.text(0, 10, say("times"), "quiet")
    for ratio in (0.5, 1.0, 1.5):
        canvas.text(across(ratio), 10, f"{ratio:g}", "quiet" if ratio != 1 else "strong", "middle")
        canvas.line("quiet" if ratio == 1 else "quiet dashed", (across(ratio), 22), (across(ratio), bottom - 14))
    for place, row in enumerate(rows):
        y = 40 + 40.0 * place
        kind = "parameter" if row["ratio"] <= 1 else "buffer"
        if "low" in row:
            canvas.text(0, y - 8, say(row["name"]))
            times = say("pair", short_time(row["torch"]), short_time(row["scratch"]))
            canvas.text(0, y + 9, times, "quiet small")
            canvas.line(kind, (across(row["low"]), y), (across(row["high"]), y))
        else:
            times = ""
            canvas.text(0, y, say(row["name"]), "strong")
        canvas.dot(across(row["ratio"]), y, 5, f"{kind} full")
        beside = across(row.get("high", row["ratio"])) + 10
        fits = beside + 4 * LETTER <= WIDTH
        end = beside if fits else across(row.get("low", row["ratio"])) - 10
        canvas.text(end, y, f"{row['ratio']:.2f}", f"{kind} code", "start" if fits else "end")
        canvas.sentences.append(say("sentence", say(row["name"]), f"{row['ratio']:.2f}", times))
    canvas.text(
        0, bottom + 6, say("machine", found["torch"].partition("+")[0], found["python"], found["date"]), "quiet"
    )
    for place, line in enumerate(textwrap.wrap(found["machine"], 46)):
        canvas.text(0, bottom + 26 + 20 * place, line, "quiet")
    return canvas


def draw_costs_scaling(say: Words) -> Canvas:
    scaling, canvas = find_costs()["scaling"], Canvas()
    left, right, height = 176.0, WIDTH - 10, 66.0
    sizes = sorted({one["parameters"] for one in scaling})
    each = [one["ns"] / one["parameters"] for one in scaling]
    low, high = math.log(min(each)), math.log(max(each))

    def across(size: int) -> float:
        return left + sizes.index(size) * (right - left) / (len(sizes) - 1)

    canvas.text(0, 10, say("each"), "quiet")
    for size in sizes:
        anchor = "end" if size == sizes[-1] else "middle"
        canvas.text(min(across(size), WIDTH), 10, f"10{'⁰¹²³⁴⁵⁶'[round(math.log10(size))]}", "quiet", anchor)
    for place, name in enumerate(dict.fromkeys(one["name"] for one in scaling)):
        top = 30 + (height + 18) * place
        canvas.box(left - 8, top, right - left + 17, height, "quiet open", radius=3)
        canvas.text(0, top + 10, name, "code strong")
        for line, (module, kind) in enumerate((("torch", "quiet"), ("scratch", "parameter"))):
            points = [
                (one["parameters"], one["ns"] / one["parameters"])
                for one in scaling
                if one["name"] == name and one["module"] == module
            ]
            shown = [(across(size), top + height - 5 - (height - 10) * share(ns, low, high)) for size, ns in points]
            canvas.line(f"{kind} dashed" if module == "torch" else kind, *shown)
            for x, y in shown:
                canvas.dot(x, y, 3, f"{kind} full")
            size, ns = points[-1]
            canvas.text(0, top + 32 + 18 * line, f"{module:8}{short_time(ns):>9}", f"{kind} code")
            canvas.sentences.append(
                say("sentence", name, module, short_time(points[0][1]), short_time(ns), f"{size:,}")
            )
    return canvas


def share(value: float, low: float, high: float) -> float:
    """Return where a value lies between two, given by their logarithms: 0 at the lower, 1 at the higher."""
    return (math.log(value) - low) / (high - low)


# --- the command ------------------------------------------------------------------------------------------------------

PICTURES: dict[str, Callable[[Words], Canvas]] = {
    "registries": draw_registries,
    "tree-walk": draw_tree_walk,
    "who-gets-what": draw_who_gets_what,
    "gpt": draw_gpt,
    "state-dict-is-a-view": draw_state_dict_is_a_view,
    "move-keeps-parameters": draw_move_keeps_parameters,
    "training-flag": draw_training_flag,
    "hook-order": draw_hook_order,
    "backward-graph": draw_backward_graph,
    "import-finder": draw_import_finder,
    "chapters": draw_chapters,
    "costs": draw_costs,
    "costs-scaling": draw_costs_scaling,
}


def draw(name: str, language: str = "en") -> str:
    """Draw one picture.

    Args:
        name: one of ``PICTURES``.
        language: of its words; a key of ``LABELS``.

    Returns:
        The SVG, ready to be inlined in a page.
    """
    say = Words(name, language)
    # What a Module does on the way here (a default device or dtype, the random numbers) must not reach the picture.
    with torch.random.fork_rng(devices=[]), torch.device("cpu"):
        torch.manual_seed(0)
        return PICTURES[name](say).svg(say("title"))


def write(path: Path, text: str) -> None:
    """Write a file whole: beside its place first, so that an interrupted run leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(text.encode())
    os.replace(beside, path)


def main(argv: list[str] | None = None) -> int:
    """Draw the pictures, or with --check say which of them are not what the code draws now."""
    parser = argparse.ArgumentParser(
        prog="python -m literate draw",
        description="Draw the pictures of the pages from real objects, as docs/<language>/pictures/<name>.svg.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="draw only these: " + ", ".join(PICTURES))
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a picture has drifted")
    parser.add_argument("--language", choices=sorted(LABELS), help="only in this language (all unless given)")
    options = parser.parse_args(argv)
    unknown = [name for name in options.names if name not in PICTURES]
    if unknown:
        parser.error(f"no picture is called {', '.join(unknown)}; there are {', '.join(PICTURES)}")
    drifted = {}
    for name in options.names or PICTURES:
        for language in [options.language] if options.language else LABELS:
            path = ROOT / "docs" / language / "pictures" / f"{name}.svg"
            text = draw(name, language)
            if path.is_file() and path.read_bytes() == text.encode():
                continue
            drifted[path.relative_to(ROOT).as_posix()] = name
            if not options.check:
                write(path, text)
                print(f"drew {path.relative_to(ROOT)}")
    if options.check and drifted:
        names = " ".join(dict.fromkeys(drifted.values()))
        print(f"drifted: {', '.join(drifted)}. Draw again: python -m literate draw {names}")
        return 1
    if not drifted:
        print(f"{len(options.names or PICTURES)} pictures are as the code draws them.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
