"""Find and draw the chapters and the sections of module.py that they show."""

import re
from pathlib import Path

from literate.course.pictures.canvas import WIDTH, Canvas, Words
from literate.reading.repository import MODULE, settings_file
from literate.reading.sections import places

INCLUDE = re.compile(r'^\s*--8<-- "scratch/module\.py:([\w-]+)"', re.MULTILINE)


def find_chapters(root: Path, language: str = "en") -> tuple[list[tuple[str, str, list[str]]], list[str]]:
    """Read the navigation, the pages and the file: (file, title, sections it shows) of each page, and all sections."""
    within = places((root / MODULE).read_text(encoding="utf-8"))
    sections = [part for part, section in within.items() if part == section]
    chapters = []
    for title, file in re.findall(
        r"^  - (.+): ([\w-]+\.md)$", (root / settings_file(language)).read_text(encoding="utf-8"), re.MULTILINE
    ):
        if file in ("index.md", "about.md", "reference.md"):
            continue
        page = (root / "docs" / language / file).read_text(encoding="utf-8")
        chapters.append((file, title, list(dict.fromkeys(within[part] for part in INCLUDE.findall(page)))))
    return chapters, sections


def draw_chapters(say: Words) -> Canvas:
    (chapters, sections), canvas = find_chapters(say.root, say.language), Canvas()
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
