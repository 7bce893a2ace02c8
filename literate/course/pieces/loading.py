"""A checkpoint and a model, key by key."""

import html
import re
from collections.abc import Iterable, Sequence

from literate.course.pieces.view import Row, State, View, row, table

MODELS = ("same", "renamed", "classes")


def loading(model: str, strict: str, assign: str) -> State:
    """Load a checkpoint into one of three models, and return what became of each key, and what the call gave."""
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, classes: int = 3) -> None:
            super().__init__()
            self.body = nn.Linear(2, 4)
            self.head = nn.Linear(4, classes)

    class Renamed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Linear(2, 4)
            self.norm = nn.LayerNorm(4)
            self.classifier = nn.Linear(4, 3)

    saved = Net().to(torch.bfloat16)
    for parameter in saved.parameters():
        nn.init.constant_(parameter, 7.0)
    checkpoint = saved.state_dict()
    into: nn.Module = {"same": Net, "renamed": Renamed, "classes": lambda: Net(classes=5)}[model]()
    before = dict(into.named_parameters())
    shapes = {name: list(tensor.shape) for name, tensor in into.state_dict().items()}
    try:
        result = into.load_state_dict(checkpoint, strict=strict == "1", assign=assign == "1")
        said, missing, unexpected = str(result), result.missing_keys, result.unexpected_keys
    except RuntimeError as error:
        said = f"RuntimeError: {error}"
        missing, unexpected = (_quoted(said, f"{kind} key(s)") for kind in ("Missing", "Unexpected"))
    verdicts = {name: "size" for name in re.findall(r"size mismatch for ([\w.]+):", said)}
    verdicts |= {name: "missing" for name in missing} | {name: "unexpected" for name in unexpected}
    rows: list[Row] = []
    after = dict(into.named_parameters())
    for name in dict.fromkeys([*shapes, *checkpoint]):
        row: Row = [name, shapes.get(name), list(checkpoint[name].shape) if name in checkpoint else None]
        row.append(verdicts.get(name, "match"))
        if name in after:
            row.append("checkpoint" if bool((after[name] == 7.0).all()) else "own")
            row.append(str(after[name].dtype).removeprefix("torch."))
            row.append("same" if after[name] is before[name] else "new")
        rows.append(row)
    return {"rows": rows, "said": re.sub(r"\s*\n\s*", "\n", said).strip()}


def _quoted(text: str, start: str) -> list[str]:
    """Return what stands in quotation marks on the line of an error that begins so."""
    lines = [line for line in text.split("\n") if line.strip().startswith(start)]
    return [name for line in lines for name in re.findall(r'"([^"]+)"', line)]


class Loading(View):
    """Two trees of keys, side by side, and what a load makes of them."""

    def switches(self) -> str:
        radios = [self.radio("model", name, self.say(name), name == "renamed") for name in MODELS]
        boxes = [self.checkbox("strict", True), self.checkbox("assign", False)]
        return self.form(self.group(self.say("model"), *radios), self.group(self.say("switches"), *boxes))

    def rows(self, key: str) -> list[str]:
        rows, last = [], ""
        for name, ours, theirs, verdict, *after in self.states[key]["rows"]:
            module, _, leaf = name.rpartition(".")
            if module != last:
                rows.append(
                    f'<tr class="piece-branch"><th scope="rowgroup" colspan="5"><code>{module}</code></th></tr> '
                )
            last = module
            shapes = [f"<code>{shape}</code>" if shape else self.say("nothing") for shape in (ours, theirs)]
            verdict_html = f'<span class="piece-{verdict}">{self.say(verdict)}</span>'
            name_html = f'<code><span class="piece-stem">{module}.</span>{leaf}</code>'
            rows.append(row(name_html, *shapes, verdict_html, self.afterwards(after), kind="leaf"))
        return rows

    def afterwards(self, after: Sequence[str]) -> str:
        if not after:
            return self.say("nothing")
        values, dtype, kept = after
        return self.say(
            "afterwards", values=self.words[values], dtype=f"`{dtype}`", object=self.words[f"object {kept}"]
        )

    def note(self, key: str) -> str:
        return f"<pre>{html.escape(self.states[key]['said'])}</pre>"

    def printed(self) -> Iterable[str]:
        for key in ("same-1-1", "renamed-0-0", "renamed-1-0", "classes-0-0"):
            model, strict, assign = key.split("-")
            flags = {"strict": str(strict == "1"), "assign": str(assign == "1")}
            title = self.say("printed", model=self.words[model], **flags)
            yield table(title, self.say("head"), self.rows(key)) + self.note(key)
