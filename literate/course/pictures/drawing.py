"""Draw the pictures of the pages from real objects, as docs/<language>/pictures/<name>.svg."""

import argparse
from collections.abc import Callable
from pathlib import Path

import torch

from literate.course.pictures.backward_graph import draw_backward_graph
from literate.course.pictures.canvas import Canvas, Words
from literate.course.pictures.chapters import draw_chapters
from literate.course.pictures.costs import draw_costs, draw_costs_scaling
from literate.course.pictures.gpt import draw_gpt
from literate.course.pictures.hook_order import draw_hook_order
from literate.course.pictures.import_finder import draw_import_finder
from literate.course.pictures.move_keeps_parameters import draw_move_keeps_parameters
from literate.course.pictures.registries import draw_registries
from literate.course.pictures.state_dict_is_a_view import draw_state_dict_is_a_view
from literate.course.pictures.training_flag import draw_training_flag
from literate.course.pictures.tree_walk import draw_tree_walk
from literate.course.pictures.who_gets_what import draw_who_gets_what
from literate.reading.files import replace_files
from literate.reading.repository import LANGUAGES, UsageError

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


def draw(name: str, language: str, root: Path) -> str:
    """Draw one picture.

    Args:
        name: one of `PICTURES`.
        language: of its words.
        root: the repository.

    Returns:
        The SVG, ready to be inlined in a page.
    """
    say = Words(name, language, root)
    # What a Module does on the way here (a default device or dtype, the random numbers) must not reach the picture.
    with torch.random.fork_rng(devices=[]), torch.device("cpu"):
        torch.manual_seed(0)
        return PICTURES[name](say).svg(say("title"))


def draw_all(options: argparse.Namespace, root: Path) -> int:
    """Draw the pictures, or with --check say which of them are not what the code draws now."""
    unknown = [name for name in options.names if name not in PICTURES]
    if unknown:
        raise UsageError(f"no picture is called {', '.join(unknown)}; there are {', '.join(PICTURES)}")
    drifted = {}
    for name in options.names or PICTURES:
        for language in [options.language] if options.language else LANGUAGES:
            path = Path("docs", language, "pictures", f"{name}.svg")
            text = draw(name, language, root).encode()
            if not (root / path).is_file() or (root / path).read_bytes() != text:
                drifted[path] = name, text
    if options.check and drifted:
        names = " ".join(dict.fromkeys(name for name, _ in drifted.values()))
        print(f"drifted: {', '.join(map(Path.as_posix, drifted))}. Draw again: python -m literate draw {names}")
        return 1
    replace_files(root, {path: text for path, (_, text) in drifted.items()})
    for path in drifted:
        print(f"drew {path.as_posix()}")
    if not drifted:
        print(f"{len(options.names or PICTURES)} pictures are as the code draws them.")
    return 0
