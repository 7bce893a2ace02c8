"""A sheet to draw a small SVG on: text, boxes, dots and lines, in the style that all pictures share.

The SVG is written to be inlined in a page: no ids, no blank lines, all colours through ``currentColor`` and the
variables of ``COLOURS``, so that it follows the page's light or dark. Opened alone, it follows the system's.
"""

import unicodedata
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from literate.reading.words import say

WIDTH = 400  # units; a phone shows a picture at about this many pixels, so the letters keep their size
CODE, TEXT = 13, 14  # font sizes, in the same units
LETTER = 0.602 * CODE  # the width of one letter of code, in the widest of the usual fonts

# Each kind of thing has one colour on all pictures: on light paper, on dark paper. All reach 4.5:1 against the paper
# and against their own tint (a test computes it). A page may set --picture-<kind> to its own.
COLOURS = {
    "parameter": ("#0b7285", "#66d9e8"),
    "buffer": ("#a33d00", "#ffb27a"),
    "module": ("#5f3dc4", "#b5a1ff"),
    "hook": ("#1864ab", "#84c5ff"),
    "gradient": ("#c01c28", "#ff9a9a"),
    "quiet": ("#57606a", "#a9b4c0"),
}
PAPER = ("#ffffff", "#1e2129")
INK = ("#1f2328", "#e6e8eb")
TINT = 0.09


def style() -> str:
    """Write the one style sheet that all pictures share, so that several on one page agree."""
    kinds = "".join(f".picture .{kind}{{--ink:var(--picture-{kind},{light})}}" for kind, (light, _) in COLOURS.items())
    dark = "".join(f"--picture-{kind}:{dark};" for kind, (_, dark) in COLOURS.items())
    return (
        f".picture{{--ink:currentColor;font-size:{TEXT}px;max-width:100%;height:auto}}"
        f"{kinds}"
        ".picture text{fill:var(--ink);white-space:pre}"
        f".picture .code{{font-size:{CODE}px;font-family:var(--md-code-font-family,ui-monospace,SFMono-Regular,Menlo,"
        "Consolas,monospace)}"
        f".picture .small{{font-size:{CODE}px}}"
        ".picture .strong{font-weight:700}"
        f".picture .box{{fill:var(--ink);fill-opacity:{TINT};stroke:var(--ink);stroke-width:1.5}}"
        ".picture .open{fill:none;stroke:var(--ink);stroke-width:1.5}"
        ".picture .line{fill:none;stroke:var(--ink);stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}"
        ".picture .dashed{stroke-dasharray:4 4}"
        ".picture .full{fill:var(--ink)}"
        f".picture .onfull{{fill:var(--picture-paper,{PAPER[0]})}}"
        # svg:root is the picture opened alone: inside a page these rules match nothing, and the page decides.
        f"svg:root{{color:{INK[0]};background:{PAPER[0]};font-family:system-ui,sans-serif}}"
        "@media(prefers-color-scheme:dark){"
        f"svg:root{{color:{INK[1]};background:{PAPER[1]};{dark}--picture-paper:{PAPER[1]}}}}}"
    )


def number(value: float) -> str:
    """Write a coordinate shortly, and the same on every machine."""
    return f"{round(value, 1):g}"


def span(text: str, code: bool = False) -> float:
    """Estimate how wide a text becomes; a Chinese character is as wide as its font is high."""
    size, narrow = (CODE, LETTER) if code else (TEXT, 0.6 * TEXT)  # as in DejaVu Sans, a wide one
    return sum(size if unicodedata.east_asian_width(letter) in "WF" else narrow for letter in text)


@dataclass(frozen=True)
class Words:
    """The words of one picture in one language: `say("label", value)`; and where the repository is."""

    picture: str
    language: str
    root: Path

    def __call__(self, label: str, *values: object) -> str:
        return say(self.language, f"pictures.{self.picture}.{label}", *values)


@dataclass
class Canvas:
    """Collect the parts of one picture; y grows downwards, and the height follows the lowest part."""

    width: float = WIDTH
    height: float = 0
    parts: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)  # the same in words, for who cannot see it

    def reach(self, y: float) -> None:
        self.height = max(self.height, y)

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        """Write one line of text whose middle lies at height y."""
        code = "code" in kind.split()
        left = x - {"start": 0, "middle": 0.5, "end": 1}[anchor] * span(text, code)
        if left < -0.5 or left + span(text, code) > self.width + 0.5:
            raise ValueError(f"{text!r} does not fit: it would reach from {left:.0f} to {left + span(text, code):.0f}")
        attributes = f' class="{kind}"' if kind else ""
        attributes += f' text-anchor="{anchor}"' if anchor != "start" else ""
        base = y + 0.35 * (CODE if code else TEXT)
        self.parts.append(f'<text x="{number(x)}" y="{number(base)}"{attributes}>{escape(text, quote=False)}</text>')
        self.reach(y + 10)

    def box(self, x: float, y: float, width: float, height: float, kind: str, radius: float = 6) -> None:
        shape = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
        self.parts.append(f'<rect {shape} rx="{number(radius)}" class="{kind}"/>')
        self.reach(y + height)

    def dot(self, x: float, y: float, radius: float, kind: str) -> None:
        self.parts.append(f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" class="{kind}"/>')
        self.reach(y + radius)

    def line(self, kind: str, *points: tuple[float, float], head: bool = False) -> None:
        """Draw a line through points; with a head, an arrow to the last of them."""
        path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        if head:
            (x0, y0), (x1, y1) = points[-2:]
            length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
            along, across = 6 * (x1 - x0) / length, 6 * (y1 - y0) / length
            for side in (0.7, -0.7):
                tip = (x1 - along + side * across, y1 - across - side * along)
                path += f"M{number(tip[0])} {number(tip[1])}L{number(x1)} {number(y1)}"
        self.parts.append(f'<path d="{path}" class="line {kind}"/>')
        self.reach(max(y for _, y in points))

    def arrow(self, kind: str, *points: tuple[float, float]) -> None:
        self.line(kind, *points, head=True)

    def curve(self, kind: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draw a line that leaves and arrives level."""
        half = number((start[0] + end[0]) / 2)
        (x0, y0), (x1, y1) = [(number(x), number(y)) for x, y in (start, end)]
        self.parts.append(f'<path d="M{x0} {y0}C{half} {y0} {half} {y1} {x1} {y1}" class="line {kind}"/>')

    def mark(self, x: float, y: float, yes: bool, kind: str) -> None:
        """Answer yes with a ticked disc, no with a dash."""
        if yes:
            self.dot(x, y, 10, f"{kind} full")
            self.parts.append(
                f'<path d="M{number(x - 4.5)} {number(y + 0.5)}l3 3.5l6-7" class="line" '
                f'style="stroke:var(--picture-paper,{PAPER[0]});stroke-width:2"/>'
            )
        else:
            self.line("quiet", (x - 5, y), (x + 5, y))

    def badge(self, x: float, y: float, text: str, kind: str, square: bool = False) -> None:
        """Set a short number on a filled disc, or on a filled square."""
        if square:
            self.box(x - 9, y - 9, 18, 18, f"{kind} full", radius=4)
        else:
            self.dot(x, y, 9.5, f"{kind} full")
        self.text(x, y, text, "code strong onfull", "middle")

    def link(self, address: str) -> None:
        """Begin a link, which </a> ends.

        Its address has the old name: the theme writes to every `href` that it finds, and that of an SVG is read-only.
        The role says that it is a link to those who know the new name alone.
        """
        self.parts.append(f'<a xlink:href="{escape(address)}" role="link">')

    def svg(self, title: str) -> str:
        """Return the whole picture as SVG text."""
        size = f"{number(self.width)} {number(self.height + 4)}"
        shown = number(self.width * 1.2)  # a little larger than its units, where the page has room
        links = any(part.startswith("<a ") for part in self.parts)
        role = "group" if links else "img"  # nobody can go into an img
        xlink = ' xmlns:xlink="http://www.w3.org/1999/xlink"' if links else ""
        lines = [
            f'<svg class="picture" xmlns="http://www.w3.org/2000/svg"{xlink} viewBox="0 0 {size}" width="{shown}" '
            f'role="{role}" data-search-exclude="">',
            f"<title>{escape(title, quote=False)}</title>",
            f"<desc>{escape(' '.join(self.sentences), quote=False)}</desc>",
            f"<style>{style()}</style>",
            *self.parts,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"
