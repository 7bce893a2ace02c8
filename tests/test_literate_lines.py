"""The lines of the Module are counted where a page says how many there are: the directive `count module`."""

import re
from pathlib import Path

from literate.course.lines import code_lines, counted, of_kinds, of_sections

ROOT = Path(__file__).resolve().parents[1]
FILE = '''\
"""A file."""

import torch  # 3

# --8<-- [start:hooks-helpers]
HOOKS = (
    torch,
)
# --8<-- [end:hooks-helpers]


class Module:
    """A class."""

    # --8<-- [start:tree]
    size: int

    def walk(self, deep=True):
        """Walk."""
        raise ValueError(
            "no"
        )

    # --8<-- [end:tree]

    # --8<-- [start:hooks]
    # --8<-- [start:inner]
    def hook(self):

        return None
    # --8<-- [end:inner]
    # --8<-- [end:hooks]
'''


def test_a_line_of_code_is_neither_blank_nor_a_comment_nor_a_docstring():
    lines = FILE.split("\n")
    counted = [lines[number - 1].strip() for number in sorted(code_lines(FILE))]
    assert counted[:5] == ["import torch  # 3", "HOOKS = (", "torch,", ")", "class Module:"]
    assert counted[5:] == [
        "size: int",
        "def walk(self, deep=True):",
        "raise ValueError(",
        '"no"',
        ")",
        "def hook(self):",
        "return None",
    ]


def test_a_section_has_its_lines_and_those_of_its_helpers_above_the_class():
    assert of_sections(FILE) == {"tree": 5, "hooks": 5}


def test_lines_are_counted_by_what_they_are_for():
    assert of_kinds(FILE) == {"texts": 3, "heads": 2, "annotations": 1}


def test_the_page_has_a_row_for_each_section_and_counts_torch_in_the_same_way():
    lines = counted(ROOT, "en")
    text = (ROOT / "scratch" / "module.py").read_text(encoding="utf-8")
    rows = {name: int(count) for name, count in re.findall(r"^\| (\w+) \| (\d+) \|", "\n".join(lines), re.MULTILINE)}
    assert rows == of_sections(text)
    assert re.search(rf"has {len(code_lines(text))} lines of code, and PyTorch's has 1,\d+ \(torch 2\.", lines[1])
