"""The pictures are what their objects are, and are fit to be set in a page."""

import math
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from small_site import literate
from torch import nn

from literate.__main__ import parser
from literate.course.pictures import canvas
from literate.course.pictures import drawing as pictures
from literate.course.pictures.backward_graph import find_backward_graph
from literate.course.pictures.chapters import find_chapters
from literate.course.pictures.gpt import Filed, Part, find_gpt, fold
from literate.course.pictures.hook_order import HOOKS, find_hook_order, run_hooks
from literate.course.pictures.import_finder import ASKED, find_import_finder
from literate.course.pictures.move_keeps_parameters import find_move_keeps_parameters
from literate.course.pictures.registries import find_registries
from literate.course.pictures.state_dict_is_a_view import find_state_dict_is_a_view
from literate.course.pictures.training_flag import find_training_flag
from literate.course.pictures.tree_walk import GPT, find_tree_walk
from literate.course.pictures.who_gets_what import find_who_gets_what
from literate.reading.repository import LANGUAGES

SVG = "{http://www.w3.org/2000/svg}"
NAMES = sorted(pictures.PICTURES)
ROOT = Path(__file__).parents[1]
ENGLISH = ROOT / "docs" / "en" / "pictures"


@cache
def drawn(name, language="en"):
    return pictures.draw(name, language, ROOT)


def draw(*arguments, root=ROOT):
    """Run the command in a repository, and return its exit status."""
    options = parser().parse_args(["draw", *arguments])
    return pictures.draw_all(options, root)


def read(name):
    return ElementTree.fromstring(drawn(name))


# --- the files --------------------------------------------------------------------------------------------------------


def test_the_committed_pictures_are_the_ones_that_the_code_draws(capsys):
    assert draw("--check") == 0, capsys.readouterr().out
    for language in LANGUAGES:
        folder = ROOT / "docs" / language / "pictures"
        assert sorted(path.stem for path in folder.glob("*.svg")) == NAMES


def test_our_module_gives_the_same_pictures():
    command = [sys.executable, "-m", "scratch", "-m", "literate", "draw", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_drifted_picture_is_named_with_the_command_that_mends_it_and_left_alone(tmp_path, monkeypatch, capsys):
    assert draw("registries", "training-flag", root=tmp_path) == 0
    path = tmp_path / "docs" / "en" / "pictures" / "registries.svg"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace("_buffers", "_bluffers"), encoding="utf-8")
    capsys.readouterr()
    assert draw("--check", "registries", "training-flag", root=tmp_path) == 1
    said = capsys.readouterr().out
    assert "registries" in said and "training-flag" not in said
    assert "python -m literate draw registries" in said
    assert "_bluffers" in path.read_text(encoding="utf-8")
    assert draw("registries", "training-flag", root=tmp_path) == 0
    assert path.read_text(encoding="utf-8") == whole
    assert [left.name for left in path.parent.iterdir() if left.name.startswith(".")] == []


def test_a_picture_that_is_missing_has_drifted(tmp_path, monkeypatch, capsys):
    assert draw("--check", "registries", root=tmp_path) == 1
    assert "registries" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_picture_is_refused_with_the_names_that_there_are():
    status, said = literate(ROOT, "draw", "registrys")
    assert status == 2
    assert "registrys" in said and "registries, tree-walk" in said


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_can_be_inlined_beside_others(name):
    text = drawn(name)
    assert len(text.encode()) < 12_000
    assert all(line.strip() for line in text.splitlines()), "a blank line would end the HTML block in Markdown"
    root = read(name)
    assert root.tag == f"{SVG}svg" and root.get("role") == ("group" if root.findall(f"{SVG}a") else "img")
    assert not [element for element in root.iter() if element.get("id") or element.get("style", "").count("url(")]
    rules = re.findall(r"([^{}]+)\{", re.sub(r"@media\([^)]*\)\{", "", root.findtext(f"{SVG}style")))
    assert rules and all(rule.strip().startswith((".picture", "svg:root")) for rule in rules)
    assert root.find(f"{SVG}style").text == read(NAMES[0]).find(f"{SVG}style").text


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_says_in_words_what_it_shows(name):
    root = read(name)
    assert len(root.findtext(f"{SVG}title")) > 15
    assert len(root.findtext(f"{SVG}desc")) > 60


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_legible_on_a_phone(name):
    left, top, width, height = map(float, read(name).get("viewBox").split())
    assert (left, top) == (0, 0) and width <= 400
    assert min(canvas.CODE, canvas.TEXT) >= 13
    for element in read(name).iter(f"{SVG}text"):
        assert -1 < float(element.get("y")) < height
        assert 0 <= float(element.get("x")) <= width


def test_text_that_would_leave_the_picture_is_refused():
    sheet = canvas.Canvas()
    with pytest.raises(ValueError, match="does not fit"):
        sheet.text(200, 10, "x" * 30, "code")
    with pytest.raises(ValueError, match="does not fit"):
        sheet.text(100, 10, "x" * 30, "code", "end")
    sheet.text(100, 10, "x" * 30, "code")


def luminance(colour):
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def tinted(paper, colour):
    mixed = [
        round((1 - canvas.TINT) * int(paper[place : place + 2], 16) + canvas.TINT * int(colour[place : place + 2], 16))
        for place in (1, 3, 5)
    ]
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


@pytest.mark.parametrize("shade", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("kind", canvas.COLOURS)
def test_every_colour_can_be_read_on_the_paper_and_on_every_tint(kind, shade):
    paper, colour = canvas.PAPER[shade], canvas.COLOURS[kind][shade]
    assert contrast(colour, paper) >= 4.5
    assert contrast(colour, tinted(paper, colour)) >= 4.5
    assert contrast(canvas.INK[shade], tinted(paper, colour)) >= 4.5
    assert contrast(canvas.COLOURS["quiet"][shade], tinted(paper, colour)) >= 4.5


@pytest.mark.parametrize("name", NAMES)
def test_colours_come_from_variables_so_that_a_page_can_switch_them(name):
    body = drawn(name).split("</style>")[1]
    assert not re.search(r"#[0-9a-f]{3,6}\b", re.sub(r"var\(--picture-[a-z]+,#[0-9a-f]{6}\)", "", body))
    assert "fill=" not in body and "stroke=" not in body


# --- drawn from the object: where that differs, so does the picture ---------------------------------------------------


def test_a_module_that_files_parameters_elsewhere_gives_another_picture(monkeypatch):
    original = nn.Module.__setattr__

    def file_parameters_as_plain_attributes(self, name, value):
        if isinstance(value, nn.Parameter):
            object.__setattr__(self, name, value)
        else:
            original(self, name, value)

    assert ("_parameters", "scale") in [(registry, name) for _, registry, name, _ in find_registries()]
    monkeypatch.setattr(nn.Module, "__setattr__", file_parameters_as_plain_attributes)
    assert ("__dict__", "scale") in [(registry, name) for _, registry, name, _ in find_registries()]


def test_the_walk_numbers_what_named_parameters_gives():
    rows = find_tree_walk()
    numbered = [row for row in rows if row.kind == "parameter" and row.place]
    names = [name for name, _ in GPT().named_parameters()]
    assert [row.path for row in sorted(numbered, key=lambda row: row.place)] == names
    assert [row.path for row in rows if row.kind == "parameter" and not row.place] == ["lm_head.weight"]


def test_an_optimizer_that_does_nothing_trains_nothing(monkeypatch):
    assert [name for name, answers in find_who_gets_what().items() if answers["trained"]] == ["weight"]
    monkeypatch.setattr(torch.optim.SGD, "step", lambda self: None)
    assert not any(answers["trained"] for answers in find_who_gets_what().values())


def test_the_picture_of_the_gpt_has_every_tensor_of_it_once_and_its_blocks_once():
    found = {part.path: part for part in find_gpt(ROOT)}
    assert [path for path, part in found.items() if part.repeated != 1] == ["h.0"]
    assert found["h.0"].repeated == 12
    tensors = {one.path: one for part in found.values() for one in part.tensors}
    assert [(path, one.same_as) for path, one in tensors.items() if one.same_as] == [("lm_head.weight", "wte.weight")]
    assert {one.path for one in tensors.values() if not one.fates[0]} == {"h.0.attn.mask"}
    assert tensors["h.0.attn.mask"].fates == (False, False, False, True)
    assert all(one.fates == (True, len(one.shape) == 2, True, True) for one in tensors.values() if one.fates[0])
    count = sum(
        math.prod(one.shape) * (12 if path.startswith("h.0.") else 1)
        for path, one in tensors.items()
        if one.kind == "parameter" and not one.same_as
    )
    assert count == 124_439_808  # GPT-2's own


def test_a_gpt_that_saves_its_masks_gives_another_picture(monkeypatch):
    original = nn.Module.register_buffer
    monkeypatch.setattr(
        nn.Module, "register_buffer", lambda self, name, tensor, persistent=True: original(self, name, tensor)
    )
    masks = [one for part in find_gpt(ROOT) for one in part.tensors if one.kind == "buffer"]
    assert [one.fates for one in masks] == [(False, False, True, True)]


def test_blocks_that_differ_are_drawn_each():
    def part(name, path, depth, *shape):
        tensors = [Filed("weight", f"{path}.weight", "parameter", shape, (True,) * 4)] if shape else []
        return Part(name, path, depth, "Linear", tensors)

    alike = [part("h", "h", 0), part("0", "h.0", 1, 2, 2), part("1", "h.1", 1, 2, 2), part("2", "h.2", 1, 2, 3)]
    assert [(one.path, one.repeated) for one in fold(alike)] == [("h", 1), ("h.0", 2), ("h.2", 1)]


def test_a_state_dict_of_copies_would_have_memory_of_its_own(monkeypatch):
    assert [len(memory.holders) for memory in find_state_dict_is_a_view()] == [2, 2, 1, 1]
    original = nn.Module.state_dict
    monkeypatch.setattr(
        nn.Module, "state_dict", lambda self: {name: value.clone() for name, value in original(self).items()}
    )
    assert [len(memory.holders) for memory in find_state_dict_is_a_view()] == [1] * 6
    assert pictures.draw("state-dict-is-a-view", "en", ROOT) != drawn("state-dict-is-a-view")


def test_parameters_that_are_replaced_on_conversion_give_another_picture():
    assert [row.same_object for row in find_move_keeps_parameters()] == [True, True, False]
    torch.__future__.set_overwrite_module_params_on_conversion(True)
    try:
        assert [row.same_object for row in find_move_keeps_parameters()] == [False, False, False]
    finally:
        torch.__future__.set_overwrite_module_params_on_conversion(False)


def test_a_dropout_that_ignores_the_flag_is_seen_to(monkeypatch):
    assert [row.path for row in find_training_flag() if row.reads] == ["norm", "drop"]
    monkeypatch.setattr(nn.Dropout, "forward", lambda self, x: x)
    assert [row.path for row in find_training_flag() if row.reads] == ["norm"]


def test_the_order_of_hooks_is_the_order_in_which_they_ran():
    found = find_hook_order()
    assert sorted(event.name for event in found) == sorted([*HOOKS, "forward", "weight.grad"])
    assert [event.name for event in found if event.name in HOOKS] != list(HOOKS)
    assert all(event.given and event.replaces for event in found if event.name in HOOKS)
    one, _ = run_hooks(("register_forward_hook",))
    assert [event.name for event in one] == ["forward", "register_forward_hook", "weight.grad"]


def test_recording_hooks_leaves_no_global_hook_behind():
    find_hook_order()
    calls = nn.modules.module
    assert not calls._global_forward_hooks and not calls._global_forward_pre_hooks
    assert not calls._global_backward_hooks and not calls._global_backward_pre_hooks


def test_the_graph_ends_at_every_parameter_of_the_module():
    found = find_backward_graph()
    assert sorted(step.parameter for step in found if step.parameter) == ["0.bias", "0.weight", "2.bias", "2.weight"]
    assert all(not step.inputs for step in found if step.parameter)


def test_the_first_finder_is_ours_and_answers_one_name_only():
    found, statement = find_import_finder(ROOT)
    linear, module = (found[name] for name in ASKED)
    assert [answer.ours for answer in module] == [True] and module[0].file == "scratch/module.py"
    assert linear[0].ours and not linear[0].file and linear[-1].file == "torch/nn/modules/linear.py"
    assert statement == "class Linear(Module)"


def test_the_map_shows_each_page_of_the_navigation_and_the_sections_that_it_includes():
    chapters, sections = find_chapters(ROOT)
    assert [file for file, _, _ in chapters if not (ENGLISH.parent / file).is_file()] == []
    assert {section for _, _, shown in chapters for section in shown} <= set(sections)
    assert set(sections) - {section for _, _, shown in chapters for section in shown} <= {"header"}
    assert all(Path(file).suffix == ".md" for file, _, _ in chapters)


def test_a_default_device_or_a_seed_does_not_reach_a_picture():
    torch.manual_seed(7)
    before = torch.random.get_rng_state()
    torch.set_default_device("meta")
    assert [pictures.draw(name, "en", ROOT) for name in ("training-flag", "hook-order")] == [
        drawn("training-flag"),
        drawn("hook-order"),
    ]
    torch.set_default_device(None)
    assert torch.equal(torch.random.get_rng_state(), before)
