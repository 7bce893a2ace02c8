"""Find and draw which finder answers for which module."""

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from literate.course.pictures.canvas import WIDTH, Canvas, Words

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
def find_import_finder(root: Path) -> tuple[dict[str, list[Answer]], str]:
    """Import torch with our finder in place; record for two of its modules who was asked and who answered.

    Returns:
        The answers for each module, and the head of the class in the first that stands on a class of the second.
    """
    path = json.dumps([str(root), *sys.path])
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
    (found, statement), canvas = find_import_finder(say.root), Canvas()
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
