"""The order of hooks, each with a switch."""

import html
from collections.abc import Callable, Iterable
from typing import Any

from literate.course.pieces.view import Row, State, View, row, table

SWITCHES = ("pre", "forward", "kwargs", "always", "backward-pre", "backward", "global", "raises")


def hooks(*switches: str) -> State:
    """Register the hooks that are switched on, call a layer, run backward, and return who was given what, in order."""
    import torch
    from torch import nn
    from torch.nn.modules import module as everywhere

    on = {name: switch == "1" for name, switch in zip(SWITCHES, switches, strict=True)}
    rows: list[Row] = []

    class Scale(nn.Module):
        def forward(self, x: Any, *, by: float = 1.0) -> Any:
            rows.append(["forward", shown({"x": x, "by": by})])
            if on["raises"]:
                raise ValueError("no")
            return x * by

    def saw(who: str, *given: str) -> Callable[..., None]:
        return lambda module, *values: rows.append([who, shown(dict(zip(given, values, strict=True)))])

    layer = Scale()
    with_kwargs, keywords = {"with_kwargs": on["kwargs"]}, ["kwargs"] * on["kwargs"]
    always = {"always_call": on["always"]}
    gradients = ("grad_input", "grad_output")
    handles = []
    if on["pre"]:
        handles.append(layer.register_forward_pre_hook(saw("pre", "args", *keywords), **with_kwargs))
    if on["forward"]:
        look = saw("forward hook", "args", *keywords, "result")
        handles.append(layer.register_forward_hook(look, **with_kwargs, **always))
    if on["backward-pre"]:
        handles.append(layer.register_full_backward_pre_hook(saw("backward-pre", "grad_output")))
    if on["backward"]:
        handles.append(layer.register_full_backward_hook(saw("backward", *gradients)))
    if on["global"]:
        handles += [
            everywhere.register_module_forward_pre_hook(saw("global pre", "args")),
            everywhere.register_module_forward_hook(saw("global forward hook", "args", "result")),
            everywhere.register_module_full_backward_pre_hook(saw("global backward-pre", "grad_output")),
            everywhere.register_module_full_backward_hook(saw("global backward", *gradients)),
        ]
    x = torch.tensor(2.0, requires_grad=True)
    try:
        y = layer(x, by=3.0)
    except ValueError:
        rows.append(["raised", ""])
    else:
        rows.append(["returned", shown({"y": y})])
        y.backward()
        rows.append(["done", shown({"x.grad": x.grad})])
    finally:
        for handle in handles:
            handle.remove()
    ran = [who for who, _ in rows if who not in ("forward", "raised", "returned", "done")]
    return {"rows": rows, "hooks": len(ran), "end": next(row for row in rows if row[0] in ("raised", "returned"))}


def shown(values: dict[str, Any]) -> str:
    """Return names with their values, tensors as the numbers that they hold."""
    return ", ".join(f"{name}={_number(value)}" for name, value in values.items())


def _number(value: Any) -> str:
    import torch

    if isinstance(value, torch.Tensor):
        return str(value.item())
    if isinstance(value, tuple):
        return f"({', '.join(map(_number, value))}{',' * (len(value) == 1)})"
    return repr(value)


class Hooks(View):
    """A timeline of calls; each hook has a switch."""

    on = ("1", "1", "0", "0", "1", "1", "0", "0")

    def switches(self) -> str:
        labels = ["forward hook" if name == "forward" else name for name in SWITCHES]
        boxes = [self.checkbox(label, on == "1") for label, on in zip(labels, self.on, strict=True)]
        return self.form(self.group(self.say("switches"), *boxes))

    def rows(self, key: str) -> list[str]:
        rows = []
        for who, given in self.states[key]["rows"]:
            word = f"row {who}" if f"row {who}" in self.words else who
            kind = "hook" if word != who or who.startswith("global") else "event"
            rows.append(row(self.say(word), f"<code>{html.escape(given)}</code>" if given else "", kind=kind))
        return rows

    def note(self, key: str) -> str:
        end, given = self.states[key]["end"]
        code = f" <code>{html.escape(given)}</code>" if given else ""
        ran = self.say("said", count=str(self.states[key]["hooks"]))
        return f"<p>{ran}{self.say(end)}{code}{self.say('end')}</p>"

    def printed(self) -> Iterable[str]:
        for title, key in (("printed", "1-1-1-1-1-1-1-0"), ("printed raises", "1-1-1-1-1-1-1-1")):
            yield table(self.say(title), self.say("head"), self.rows(key))
