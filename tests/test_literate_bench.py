"""The benchmark times both Modules, and its record holds every row that the page shows. No time is judged here."""

import json
import re
import subprocess
import sys

import pytest
from sites import ROOT

from literate.course import costs as bench
from literate.reading.repository import LANGUAGES
from literate.reading.words import words


def run(*arguments):
    command = [sys.executable, "-m", "literate", "bench", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


def test_a_row_is_timed_on_both_modules_and_their_ratio_printed():
    done = run("--rounds", "1", "--only", "get a child")
    assert done.returncode == 0, done.stderr
    (row,) = re.findall(r"^get a child +([\d,]+) ns +([\d,]+) ns +([\d.]+) ", done.stdout, re.MULTILINE)
    theirs, ours, ratio = (float(value.replace(",", "")) for value in row)
    assert ratio == pytest.approx(ours / theirs, abs=0.02)


def test_a_row_that_there_is_not_is_refused_with_those_there_are():
    done = run("--only", "nothing")
    assert done.returncode == 2 and "call, no hooks" in done.stderr


def test_a_part_is_not_recorded_as_the_whole():
    done = run("--only", "get a child", "--record")
    assert done.returncode == 2 and "leave --only out" in done.stderr


def test_the_record_has_all_rows_and_sizes():
    found = json.loads((ROOT / bench.RECORD).read_text(encoding="utf-8"))
    assert [row["name"] for row in found["rows"]] == list(bench.rows())
    assert {row["name"] for row in found["rows"]} <= {key.removeprefix("pictures.costs.") for key in words("en")}
    ours = [one for one in found["scaling"] if one["module"] == "scratch"]
    assert {(one["name"], one["parameters"]) for one in ours} == {
        (name, size) for name in bench.scaled_rows(10) for size in bench.SIZES
    }
    assert found["machine"] and found["torch"] and found["date"]


def test_each_language_offers_the_same_record():
    copies = {(ROOT / "docs" / language / "downloads" / bench.RECORD.name).read_bytes() for language in LANGUAGES}
    assert len(copies) == 1
