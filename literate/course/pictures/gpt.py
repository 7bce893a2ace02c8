"""Find and draw what each part of a GPT files, and what becomes of it."""

import runpy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from literate.course.pictures.canvas import LETTER, WIDTH, Canvas, Words

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


def find_gpt(root: Path) -> list[Part]:
    """Build the page's GPT at GPT-2's size, and see what each part files and what becomes of it."""
    page = runpy.run_path(str(root / GPT_FILE), run_name="gpt")
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
    found, canvas = find_gpt(say.root), Canvas()
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
