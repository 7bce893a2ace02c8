"""`make test`: every step runs, and the last lines say what failed and what was skipped."""

import re
import sys

import everything
import pytest
from sites import ROOT

WELL = [sys.executable, "-c", "print('SKIPPED [1] tests/test_x.py:3: no GPU here'); print('2 passed')"]
BADLY = [sys.executable, "-c", "raise SystemExit(3)"]


@pytest.fixture(autouse=True)
def steps(monkeypatch):
    monkeypatch.setattr(everything, "STEPS", {"first": ("it fails", BADLY), "second": ("it is well", WELL)})


def test_a_failing_step_fails_the_whole_and_is_named_at_the_end(capfd):
    assert everything.main([]) == 1
    printed = capfd.readouterr().out
    assert "2 passed" in printed
    assert printed.splitlines()[-1] == "FAILED: first, it fails. Alone: python tests/everything.py first"


def test_what_was_skipped_is_said_at_the_end_with_its_reason(capfd):
    assert everything.main(["second"]) == 0
    printed = capfd.readouterr().out
    assert printed.splitlines()[-2:] == ["Skipped:", "  second: [1] tests/test_x.py:3: no GPU here"]


def test_an_unknown_step_is_refused_with_the_names_there_are(capfd):
    assert everything.main(["third"]) == 2
    assert capfd.readouterr().err == "no such step: third; there are: first, second\n"


def test_make_without_a_target_lists_what_there_is():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = sorted(re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[1].split())
    assert sorted(re.findall(r"^([a-z]+):.*## ", makefile, re.MULTILINE)) == phony
    assert ".DEFAULT_GOAL := help" in makefile


def test_every_pin_is_exact_and_names_no_host():
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[a-z0-9.-]+==[0-9a-z.]+(?: ; .*)?", pin)] == []
    assert "://" not in "\n".join(lines)


def test_the_third_parties_that_a_test_is_skipped_without_are_pinned():
    wanted = set()
    for name in ("test_machinery_third_parties.py", "test_pretrained.py"):
        text = (ROOT / "tests" / name).read_text(encoding="utf-8")
        wanted |= {
            found.partition(".")[0].replace("_", "-") for found in re.findall(r"importorskip\(\"([\w.]+)\"", text)
        }
    assert {"safetensors", "einops", "torchinfo", "torchmetrics", "transformers"} <= wanted
    pinned = set(
        re.findall(r"^([a-z0-9.-]+)==", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert wanted <= pinned
