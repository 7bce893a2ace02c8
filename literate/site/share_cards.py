"""Draw the picture of each page that is shown where somebody shares its address: a card with its title.

The pages name their cards themselves (overrides/main.html); a card lies beside its page, as card.png. The theme's own
plugin would fetch its fonts from another host. This one takes Noto Sans, with Chinese, from a package.
"""

import html
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

SIZE = (1200, 630)
MARGIN = 80
PAPER, INK, QUIET = "#1e2129", "#e6e8eb", "#a9b4c0"
REGISTRIES = ("#66d9e8", "#ffb27a", "#b5a1ff")  # parameters, buffers, modules: as in the pictures
META = re.compile(r'<meta property="og:(?P<name>[\w:]+)" content="(?P<text>[^"]*)">')
HAN = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")
NEVER_FIRST = "，。、：；？！）》”…"


def draw_all(folder: Path) -> list[Path]:
    """Draw a card beside each page below a folder that names one, and return the cards."""
    drawn = []
    for page in sorted(folder.rglob("index.html")):
        said = {found["name"]: html.unescape(found["text"]) for found in META.finditer(page.read_text("utf-8"))}
        if "image" in said:
            card = page.with_name("card.png")
            draw(said["title"], said.get("description", ""), said.get("site_name", "")).save(card, optimize=True)
            drawn.append(card)
    return drawn


def draw(title: str, description: str, site: str) -> Image.Image:
    """Return a card."""
    card = Image.new("RGB", SIZE, PAPER)
    pen = ImageDraw.Draw(card)
    for number, colour in enumerate(REGISTRIES):
        pen.rounded_rectangle((MARGIN + number * 44, 74, MARGIN + 32 + number * 44, 106), 8, fill=colour)
    pen.text((MARGIN + 150, 90), site, QUIET, font(34), anchor="lm")
    size = next((size for size in (84, 72, 60) if len(wrapped(title, font(size))) <= 2), 50)
    y: float = 190
    for line in wrapped(title, font(size)):
        pen.text((MARGIN, y), line, INK, font(size), stroke_width=1.2)
        y += size * 1.25
    y += 24
    for line in wrapped(description, font(34))[: int((SIZE[1] - 40 - y) // 50)]:
        pen.text((MARGIN, y), line, QUIET, font(34))
        y += 50
    return card.quantize(32)


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Return the font of the cards in one size."""
    return ImageFont.truetype(str(files("pylopdf_fonts_zh_cn") / "NotoSansSC-Regular.otf"), size)


def wrapped(text: str, letters: ImageFont.FreeTypeFont) -> list[str]:
    """Return a text in lines that fit on a card; between Chinese characters a line may end anywhere."""
    lines = [""]
    for part in re.findall(
        rf"{HAN.pattern}[{NEVER_FIRST}]*|[^\s\u3000-\u9fff\uff00-\uffef]+[{NEVER_FIRST}]*|\s+", text
    ):
        if lines[-1] and letters.getlength((lines[-1] + part).rstrip()) > SIZE[0] - 2 * MARGIN:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += part if lines[-1] else part.lstrip()
    return lines
