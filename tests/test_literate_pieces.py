"""The interactive pieces: recorded from runs on both Modules, shown as tables, with every state that can be chosen."""

import itertools
import json
import re
from pathlib import Path

import markdown
import pytest
from sites import read
from small_site import SNIPPET, literate, write

from literate.course import checks
from literate.course.pieces import catalogue as pieces
from literate.course.pieces import recording
from literate.course.pieces.hooks import SWITCHES
from literate.course.pieces.registration import STATEMENTS, Registration
from literate.reading.pages import parse, read_site
from literate.reading.repository import LANGUAGES

ROOT = Path(__file__).resolve().parent.parent
RECORDED = {name: recording.read(name, ROOT) for name in pieces.PIECES}


def rows(name, key):
    return RECORDED[name]["states"][key]["rows"]


# The recorder


def test_both_modules_show_what_is_recorded():
    """It raises where they differ."""
    _, found = recording.record_on_both(pieces.PIECES, ROOT)
    for name, states in found.items():
        assert states == RECORDED[name]["states"]


@pytest.mark.parametrize("name", pieces.PIECES)
def test_every_combination_of_switches_is_recorded(name):
    keys = {"-".join(values) for values in itertools.product(*pieces.PIECES[name][1])}
    assert RECORDED[name]["states"].keys() == keys


class Process:
    """A run on a Module that says what it is told to say."""

    returncode = 0

    def __init__(self, states, errors=""):
        self.out = json.dumps({"torch": "2.13.0", "pieces": {"registration": states}})
        self.errors, self.returncode = errors, int(bool(errors))

    def communicate(self):
        return self.out, self.errors


def test_a_difference_between_the_modules_is_an_error_with_both_sides(monkeypatch):
    answers = iter([Process({"0": {"rows": [["a"]]}}), Process({"0": {"rows": [["b"]]}})])
    monkeypatch.setattr(recording.subprocess, "Popen", lambda *arguments, **settings: next(answers))
    with pytest.raises(recording.PieceError, match=r'registration differs at 0:\ntorch: .*"a".*\nscratch: .*"b"'):
        recording.record_on_both(["registration"], ROOT)


def test_a_run_that_fails_is_an_error(monkeypatch):
    answers = iter([Process({}), Process({}, "Traceback: no")])
    monkeypatch.setattr(recording.subprocess, "Popen", lambda *arguments, **settings: next(answers))
    with pytest.raises(recording.PieceError, match="could not be recorded on scratch:\nTraceback: no"):
        recording.record_on_both(["registration"], ROOT)


# What is right


def test_each_assignment_is_filed_where_it_belongs():
    filed = {line: RECORDED["registration"]["states"][str(n)]["filed"] for n, line in enumerate(STATEMENTS)}
    assert list(filed.values()) == [
        *["", "self._modules", "self._parameters", "self._buffers", "self._buffers"],
        *["self.__dict__", "self.__dict__", "self.__dict__", "self._modules", "self.head._parameters"],
        "self._parameters",
    ]


def test_the_methods_see_what_is_filed_and_nothing_else():
    last = dict(rows("registration", "9"))
    layers = ["fc.weight", "fc.bias", "head.weight", "head.bias"]
    assert last["state_dict"] == ["scale", "mean", *layers]  # the mask is not persistent
    assert last["parameters"] == ["scale", "fc.weight", "fc.bias", "head.bias"]  # a tied one is given once
    assert set(last["to"]) == {"scale", "mean", "mask", *layers}
    assert last["stays"] == ["last", "blocks[0].weight", "blocks[0].bias"]
    after = dict(rows("registration", "10"))
    assert after["_parameters"] == ["scale"] and "scale" not in after["state_dict"] + after["parameters"]


def hooks(**on):
    key = "-".join(str(int(on.get(name.replace("-", "_"), False))) for name in SWITCHES)
    return rows("hooks", key)


def test_without_hooks_there_is_the_call_and_the_gradient():
    assert hooks() == [["forward", "x=2.0, by=3.0"], ["returned", "y=6.0"], ["done", "x.grad=3.0"]]


def test_hooks_run_in_their_order_and_receive_what_they_are_given():
    on = dict.fromkeys([name.replace("-", "_") for name in SWITCHES[:-1]], True)
    assert hooks(**on) == [
        ["global pre", "args=(2.0,)"],
        ["pre", "args=(2.0,), kwargs={'by': 3.0}"],
        ["forward", "x=2.0, by=3.0"],
        ["global forward hook", "args=(2.0,), result=6.0"],
        ["forward hook", "args=(2.0,), kwargs={'by': 3.0}, result=6.0"],
        ["returned", "y=6.0"],
        ["global backward-pre", "grad_output=(1.0,)"],
        ["backward-pre", "grad_output=(1.0,)"],
        ["global backward", "grad_input=(3.0,), grad_output=(1.0,)"],
        ["backward", "grad_input=(3.0,), grad_output=(1.0,)"],
        ["done", "x.grad=3.0"],
    ]


def test_only_a_hook_with_always_call_sees_a_forward_that_raises():
    assert [who for who, _ in hooks(forward=True, raises=True)] == ["forward", "raised"]
    assert hooks(forward=True, always=True, raises=True)[1:] == [
        ["forward hook", "args=(2.0,), result=None"],
        ["raised", ""],
    ]


def test_keys_match_miss_and_surprise():
    verdicts = {name: verdict for name, _, _, verdict, *_ in rows("loading", "renamed-1-0")}
    assert verdicts == {
        **dict.fromkeys(["body.weight", "body.bias"], "match"),
        **dict.fromkeys(["norm.weight", "norm.bias", "classifier.weight", "classifier.bias"], "missing"),
        **dict.fromkeys(["head.weight", "head.bias"], "unexpected"),
    }
    said = {key: state["said"] for key, state in RECORDED["loading"]["states"].items()}
    assert said["renamed-1-0"].startswith("RuntimeError: Error(s) in loading state_dict for Renamed:\nMissing key(s)")
    assert said["renamed-0-0"].startswith("_IncompatibleKeys(missing_keys=['norm.weight'")
    assert said["same-1-0"] == "<All keys matched successfully>"
    for strict in "01":
        assert "size mismatch for head.weight" in said[f"classes-{strict}-0"]
        assert [row[3] for row in rows("loading", f"classes-{strict}-0")] == ["match", "match", "size", "size"]


def test_assign_takes_the_checkpoints_tensors_and_copying_keeps_the_models():
    assert {tuple(row[4:]) for row in rows("loading", "same-1-0")} == {("checkpoint", "float32", "same")}
    assert {tuple(row[4:]) for row in rows("loading", "same-1-1")} == {("checkpoint", "bfloat16", "new")}
    # An error leaves the model half loaded.
    assert [row[4] for row in rows("loading", "classes-1-0")] == ["checkpoint", "checkpoint", "own", "own"]


# Update and check


@pytest.fixture
def repository(tmp_path):
    """Make a repository whose page shows a piece that is recorded."""
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "module.py").write_text("class Module: ...\n", encoding="utf-8")
    pages = write(tmp_path, tree=SNIPPET + "\n<!-- literate: piece loading -->\n")
    states = RECORDED["loading"]["states"]
    file = tmp_path / recording.file_of("loading")
    file.parent.mkdir(parents=True)
    file.write_bytes(recording.written("loading", recording.digest_of(tmp_path), "2.13.0+cpu", states))
    return tmp_path, pages


def test_a_record_that_is_right_is_not_complained_about(repository):
    root, pages = repository
    assert recording.problems(pages, root) == []
    assert recording.read("loading", root)["states"] == RECORDED["loading"]["states"]


def test_check_says_that_the_module_has_changed_since(repository):
    root, _ = repository
    (root / "scratch" / "module.py").write_text("class Module:\n    pass\n", encoding="utf-8")
    status, said = literate(root, "check")
    assert status == 1
    assert "snippets/pieces/loading.json: literate/course/pieces or scratch/module.py has changed since" in said
    assert "1 piece not recorded as things are now; mend: python -m literate update" in said


def test_check_names_a_piece_that_is_not_recorded_and_a_record_that_no_page_shows(repository):
    root, pages = repository
    (root / recording.file_of("loading")).rename(root / recording.file_of("hooks"))
    assert recording.problems(pages, root) == [
        "snippets/pieces/loading.json: the piece loading isn't recorded",
        "snippets/pieces/hooks.json: no page shows it",
    ]


def test_update_records_what_has_changed_and_only_that(repository, monkeypatch):
    root, pages = repository
    recorded = {"loading": RECORDED["loading"]["states"]}
    monkeypatch.setattr(
        recording, "record_on_both", lambda names, root: ("2.13.0+cpu", {n: recorded[n] for n in names})
    )
    assert recording.update(pages, root) == []
    (root / recording.file_of("loading")).unlink()
    assert recording.update(pages, root) == [recording.file_of("loading")]
    assert recording.problems(pages, root) == []
    assert recording.update(write(root, tree="# No piece\n"), root) == []


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("<!-- literate: piece hook -->\n", "no piece is called 'hook': there are registration, hooks, loading"),
        ("<!-- literate: piece hooks -->\n" * 2, "a second piece hooks on this page: show it once"),
        ("<!-- literate: piece -->\n", "no piece is called '': there are registration, hooks, loading"),
    ],
)
def test_a_comment_that_names_no_piece_is_an_error(text, error):
    page = parse(text, Path("docs/en/tree.md"))
    checks.check([page], ROOT)
    (found,) = page.errors
    assert error in str(found)


# On the page


def shown(root, language="en", text="Text.\n\n<!-- literate: piece loading -->\n\nMore.\n"):
    (root / "docs" / language).mkdir(parents=True, exist_ok=True)
    (root / "docs" / language / "tree.md").write_text(text, encoding="utf-8")
    html = markdown.markdown(
        text, extensions=["md_in_html", "literate.markdown"], extension_configs={"literate.markdown": {"root": root}}
    )
    return read(html)


def test_a_piece_is_shown_as_tables_and_what_needs_the_script_is_hidden(repository):
    root, _ = repository
    page = shown(root)
    (piece,) = page.find("literate-piece")
    assert [node.text for node in page.find("p") if not node.attributes] == ["Text.", "More."]
    (live,) = piece.find(css_class="piece-live")
    assert "hidden" in live.attributes and live.find("input")
    (printed,) = piece.find(css_class="piece-printed")
    assert "hidden" not in printed.attributes and len(printed.find("table")) == 4
    assert "Missing key(s) in state_dict" in printed.text and "norm" in printed.text
    assert "Recorded on torch.nn and on scratch, which show the same: torch 2.13.0." in piece.text


def test_a_piece_that_is_not_recorded_is_named_and_left_out(repository, caplog):
    root, _ = repository
    (root / recording.file_of("loading")).unlink()
    assert shown(root).find("literate-piece") == []
    assert "the piece loading can't be shown, run `python -m literate update`" in caplog.text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", pieces.PIECES)
def test_every_choice_of_a_reader_has_its_recorded_rows(name, language):
    page = read(pieces.piece(name, language, RECORDED[name]))
    data = json.loads(page.find("template")[0].text)
    assert data["states"].keys() == RECORDED[name]["states"].keys()
    for key, (numbers, note) in data["states"].items():
        table = read("".join(data["html"][number] for number in numbers))
        heads = [row for row in table.find("tr") if row.attributes.get("class") != "piece-branch"]
        assert len(heads) == len(rows(name, key))
        assert read(data["html"][note]).text.strip()
        if name == "hooks":
            assert [row.find("td")[0].text for row in heads] == [given for _, given in rows(name, key)]
        if name == "loading":
            keys = [re.sub(r"\s", "", row.find("th")[0].text) for row in heads]
            assert keys == [row[0] for row in rows(name, key)]


@pytest.mark.parametrize("name", pieces.PIECES)
def test_the_switches_give_the_keys_in_order(name):
    """A group of radio buttons is one part of a key, a checkbox another."""
    page = read(pieces.piece(name, "en", RECORDED[name]))
    parts: dict[str, list[str]] = {}
    for number, one in enumerate(page.find("input")):
        checkbox = one.attributes["type"] == "checkbox"
        parts.setdefault(one.attributes.get("name", str(number)), []).extend(
            ["0", "1"] if checkbox else [one.attributes["value"]]
        )
    assert list(parts.values()) == [list(part) for part in pieces.PIECES[name][1]]
    for group in (one.find("input") for one in page.find("fieldset")):
        radios = [one for one in group if one.attributes["type"] == "radio"]
        assert not radios or sum("checked" in one.attributes for one in radios) == 1
    assert all(one.find("input") and one.text.strip() for one in page.find("label"))


def test_what_is_new_and_what_is_gone_is_said_and_not_only_coloured():
    view = Registration("registration", "en", RECORDED["registration"])
    tied = dict(zip((name for name, _ in rows("registration", "9")), view.rows("9"), strict=True))
    assert [node.text for node in read(tied["parameters"]).find("del")] == ["gone head.weight"]
    filed = dict(zip((name for name, _ in rows("registration", "2")), view.rows("2"), strict=True))
    assert [node.text for node in read(filed["_parameters"]).find("ins")] == ["new scale"]


def test_each_language_shows_every_piece():
    for language in LANGUAGES:
        pages = [page for page in read_site(ROOT) if page.path.parts[1] == language]
        assert sorted(recording.named(pages)) == sorted(pieces.PIECES)


def test_our_scripts_and_styles_stay_small():
    files = list((ROOT / "overrides" / "assets").glob("*.[cj]s*"))
    assert {"extra.css", "pieces.css", "pieces.js", "search.js"} <= {path.name for path in files}
    assert sum(path.stat().st_size for path in files) <= 40_000
