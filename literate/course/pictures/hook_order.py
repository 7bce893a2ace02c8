"""Find and draw the order in which hooks run."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from literate.course.pictures.canvas import WIDTH, Canvas, Words

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
