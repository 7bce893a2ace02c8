"""Find and draw what the operations cost on both Modules."""

import json
import math
import textwrap
from pathlib import Path
from typing import Any

from literate.course.pictures.canvas import LETTER, WIDTH, Canvas, Words


def find_costs(root: Path) -> dict[str, Any]:
    """Read what `make bench` noted last."""
    return json.loads((root / "docs" / "en" / "downloads" / "benchmark.json").read_text(encoding="utf-8"))


def short_time(nanoseconds: float) -> str:
    """Write a time with three digits and the unit that suits it."""
    unit, size = next((unit, size) for unit, size in (("ms", 1e6), ("µs", 1e3), ("ns", 1)) if nanoseconds >= size)
    return f"{nanoseconds / size:.3g} {unit}" if nanoseconds / size < 999.5 else f"{nanoseconds / size:,.0f} {unit}"


def draw_costs(say: Words) -> Canvas:
    found, canvas = find_costs(say.root), Canvas()
    left, right, low, high = 268.0, WIDTH - 14, 0.3, 1.8

    def across(ratio: float) -> float:
        share = math.log(min(max(ratio, low), high) / low) / math.log(high / low)
        return left + share * (right - left)

    rows = [*found["rows"], {"name": "geometric mean", "ratio": found["geometric_mean"]}]
    bottom = 40 + 40.0 * len(rows)
    canvas.text(0, 10, say("times"), "quiet")
    for ratio in (0.5, 1.0, 1.5):
        canvas.text(across(ratio), 10, f"{ratio:g}", "quiet" if ratio != 1 else "strong", "middle")
        canvas.line("quiet" if ratio == 1 else "quiet dashed", (across(ratio), 22), (across(ratio), bottom - 14))
    for place, row in enumerate(rows):
        y = 40 + 40.0 * place
        kind = "parameter" if row["ratio"] <= 1 else "buffer"
        if "low" in row:
            canvas.text(0, y - 8, say(row["name"]))
            times = say("pair", short_time(row["torch"]), short_time(row["scratch"]))
            canvas.text(0, y + 9, times, "quiet small")
            canvas.line(kind, (across(row["low"]), y), (across(row["high"]), y))
        else:
            times = ""
            canvas.text(0, y, say(row["name"]), "strong")
        canvas.dot(across(row["ratio"]), y, 5, f"{kind} full")
        beside = across(row.get("high", row["ratio"])) + 10
        fits = beside + 4 * LETTER <= WIDTH
        end = beside if fits else across(row.get("low", row["ratio"])) - 10
        canvas.text(end, y, f"{row['ratio']:.2f}", f"{kind} code", "start" if fits else "end")
        canvas.sentences.append(say("sentence", say(row["name"]), f"{row['ratio']:.2f}", times))
    canvas.text(
        0, bottom + 6, say("machine", found["torch"].partition("+")[0], found["python"], found["date"]), "quiet"
    )
    for place, line in enumerate(textwrap.wrap(found["machine"], 46)):
        canvas.text(0, bottom + 26 + 20 * place, line, "quiet")
    return canvas


def draw_costs_scaling(say: Words) -> Canvas:
    scaling, canvas = find_costs(say.root)["scaling"], Canvas()
    left, right, height = 176.0, WIDTH - 10, 66.0
    sizes = sorted({one["parameters"] for one in scaling})
    each = [one["ns"] / one["parameters"] for one in scaling]
    low, high = math.log(min(each)), math.log(max(each))

    def across(size: int) -> float:
        return left + sizes.index(size) * (right - left) / (len(sizes) - 1)

    canvas.text(0, 10, say("each"), "quiet")
    for size in sizes:
        anchor = "end" if size == sizes[-1] else "middle"
        canvas.text(min(across(size), WIDTH), 10, f"10{'⁰¹²³⁴⁵⁶'[round(math.log10(size))]}", "quiet", anchor)
    for place, name in enumerate(dict.fromkeys(one["name"] for one in scaling)):
        top = 30 + (height + 18) * place
        canvas.box(left - 8, top, right - left + 17, height, "quiet open", radius=3)
        canvas.text(0, top + 10, name, "code strong")
        for line, (module, kind) in enumerate((("torch", "quiet"), ("scratch", "parameter"))):
            points = [
                (one["parameters"], one["ns"] / one["parameters"])
                for one in scaling
                if one["name"] == name and one["module"] == module
            ]
            shown = [(across(size), top + height - 5 - (height - 10) * share(ns, low, high)) for size, ns in points]
            canvas.line(f"{kind} dashed" if module == "torch" else kind, *shown)
            for x, y in shown:
                canvas.dot(x, y, 3, f"{kind} full")
            size, ns = points[-1]
            canvas.text(0, top + 32 + 18 * line, f"{module:8}{short_time(ns):>9}", f"{kind} code")
            canvas.sentences.append(
                say("sentence", name, module, short_time(points[0][1]), short_time(ns), f"{size:,}")
            )
    return canvas


def share(value: float, low: float, high: float) -> float:
    """Return where a value lies between two, given by their logarithms: 0 at the lower, 1 at the higher."""
    return (math.log(value) - low) / (high - low)
