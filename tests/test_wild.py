"""What `make wild` compares is named where it differs, and the page shows what it has written down."""

import json
import re

import pytest
import wild
import wild_programs

from literate.course.wild import table

PINNED = dict(re.findall(r"^([\w.-]+)==(\S+)$", wild.REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE))


def spelled(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_each_library_has_its_version():
    pinned = {spelled(name) for name in PINNED}
    assert {spelled(name) for name in (*wild_programs.PROGRAMS, *(one.library for one in wild.TESTS))} <= pinned
    assert "torch" not in pinned and "torchvision" not in pinned, "they come with one another, or not at all"


def test_the_record_is_of_the_programs_that_there_are():
    record = json.loads(wild.RECORD.read_text(encoding="utf-8"))
    assert set(record["programs"]) == set(wild_programs.PROGRAMS) and len(record["programs"]) >= 30
    assert {*record["tests"], *record["missing"]} == {one.library for one in wild.TESTS}
    pinned = {spelled(name): version for name, version in PINNED.items()}
    assert all(found["version"] == pinned[spelled(name)] for name, found in record["programs"].items())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_has_a_row_for_each_library(language):
    record = json.loads(wild.RECORD.read_text(encoding="utf-8"))
    rows = [line for line in table(wild.ROOT, language) if line.startswith("| ")]
    assert len(rows) == 2 + len({*record["programs"], *record["tests"]})
    found = record["programs"]["einops"]
    assert f"| einops | {found['version']} | {found['questions']} | — | {len(found['differences'])} |" in rows


def test_where_two_transcripts_differ_is_named():
    theirs = {"keys": [["w", 1], ["b", 2]], "repr": "Net()"}
    ours = {"keys": [["w", 1], ["b", 3]], "repr": "Net()"}
    assert wild.first_difference(theirs, ours) == "['keys'][1][1]: '2' on PyTorch's, '3' on ours"
    assert wild.first_difference({"a": 1}, {}) == "['a'] is there only on PyTorch's Module"
    assert wild.first_difference([1], [1, 2]) == ": 1 more on ours"
