"""Name the interactive pieces, with their switches and what shows them."""

from collections.abc import Callable, Sequence
from typing import Any

from literate.course.pieces.hooks import SWITCHES, Hooks, hooks
from literate.course.pieces.loading import MODELS, Loading, loading
from literate.course.pieces.registration import STATEMENTS, Registration, registration
from literate.course.pieces.view import State, View

ON_OFF = ("0", "1")
PIECES: dict[str, tuple[Callable[..., State], tuple[Sequence[str], ...]]] = {
    "registration": (registration, (tuple(map(str, range(len(STATEMENTS)))),)),
    "hooks": (hooks, (ON_OFF,) * len(SWITCHES)),
    "loading": (loading, (MODELS, ON_OFF, ON_OFF)),
}
VIEWS: dict[str, type[View]] = {"registration": Registration, "hooks": Hooks, "loading": Loading}


def piece(name: str, language: str, data: dict[str, Any]) -> str:
    """Return a recorded piece as HTML."""
    return VIEWS[name](name, language, data).whole()
