"""Read the sections of scratch/module.py, and the file as of a chapter."""

import re
from functools import cache

from literate.reading.repository import MODULE

MARKER = re.compile(r" *# --8<-- \[(?P<which>start|end):(?P<name>[\w-]+)\]")


@cache
def marks(text: str) -> list[tuple[int, str, str, tuple[str, ...]]]:
    """Return each line that starts or ends a section: line, "start" or "end", name, and what is open after it."""
    found: list[tuple[int, str, str, tuple[str, ...]]] = []
    opened: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if match := MARKER.fullmatch(line):
            if match["which"] == "start":
                opened.append(match["name"])
            elif match["name"] in opened:
                opened.remove(match["name"])
            found.append((number, match["which"], match["name"], tuple(opened)))
    return found


def has_section(text: str, name: str) -> bool:
    """Say whether a file has both marks of a section."""
    return {"start", "end"} <= {which for _, which, other, _ in marks(text) if other == name}


@cache
def places(text: str) -> dict[str, str]:
    """Return for each marked part of scratch/module.py the section of the class that it belongs to."""
    found: dict[str, str] = {}
    for _, which, name, opened in marks(text):
        if which == "start":
            found[name] = next((one for one in opened if one.endswith("-helpers")), opened[0])
    sections = [section for section in dict.fromkeys(found.values()) if not section.endswith("-helpers")]
    for part, place in found.items():  # a section's helpers stand above the class
        if place.endswith("-helpers"):
            name = place.removesuffix("-helpers")
            found[part] = next(section for section in sections if section.startswith(name))
    return found


def module_so_far(text: str, section: str) -> str:
    """Return module.py up to the end of a section, without the section markers.

    Raises:
        ValueError: if there is no such section.
    """
    lines = text.split("\n")
    end = next((line for line, which, name, _ in marks(text) if (which, name) == ("end", section)), None)
    if end is None:
        raise ValueError(f"{MODULE.as_posix()} has no line `# --8<-- [end:{section}]`")
    return "".join(f"{line}\n" for line in lines[: end - 1] if not MARKER.fullmatch(line))
