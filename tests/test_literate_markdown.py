"""The Markdown extension: what becomes of a snippet on its page."""

import json
import textwrap
from pathlib import Path
from urllib.parse import unquote

import markdown
import pytest
from sites import Node, read

from literate.reading.files import digest
from literate.reading.pages import PageError, parse
from literate.running import record
from literate.showing import card

OTHERS = [
    "admonition",
    "attr_list",
    "md_in_html",
    "toc",
    "pymdownx.details",
    "pymdownx.superfences",
    "pymdownx.snippets",
]
PROGRAM = 'import torch\n\nprint(torch.ones(2) < 3, "<b>")\n'
SNIPPET = f"""\
<!-- snippet: two-is-less -->

```python
{PROGRAM}```

<!--pytest-codeblocks:expected-output-->

```text
tensor([True, True]) <b>
```
"""


@pytest.fixture
def root(tmp_path) -> Path:
    (tmp_path / "docs" / "en").mkdir(parents=True)
    (tmp_path / "snippets").mkdir()
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "module.py").write_text("class Module: ...\n", encoding="utf-8")
    return tmp_path


def render(root: Path, text: str, name: str = "tree", language: str = "en", **settings: str) -> Node:
    """Write a page, and return what Python-Markdown makes of it."""
    (root / "docs" / language / f"{name}.md").write_text(f"---\ntitle: A page\n---\n\n{text}", encoding="utf-8")
    own = {"root": str(root), "repo_url": "https://example.org/repository/", **settings}
    return read(
        markdown.markdown(text, extensions=[*OTHERS, "literate.markdown"], extension_configs={"literate.markdown": own})
    )


def code(page: Node, css_class: str) -> str:
    return "".join(node.text for part in page.find(css_class=css_class) for node in part.find("code"))


def note(root: Path, *runs: tuple[str, str], module: str | None = None) -> None:
    """Write a record of runs of the program on these Modules and devices."""
    digests = {"snippet": parse(SNIPPET, Path("x.md")).snippets[0].digest}
    digests["module_py"] = module or digest((root / "scratch" / "module.py").read_bytes())
    entries = [
        {"name": "two-is-less", "module": on, "device": device, **digests}
        | {"torch": "2.13.0+cpu", "device_name": f"A {device} & more", "date": "2026-11-30"}
        for on, device in runs
    ]
    (root / "snippets" / "record.json").write_text(json.dumps(entries), encoding="utf-8")


def test_a_snippet_shows_its_program_and_its_output(root):
    page = render(root, f"Before.\n\n{SNIPPET}\nAfter.\n")
    assert code(page, "literate-code") == PROGRAM
    assert code(page, "literate-output") == "tensor([True, True]) <b>\n"
    assert [node.text for node in page.find("p")] == ["Before.", "After."]
    (card,) = page.find(css_class="literate")
    assert card.attributes["id"] == "snippet-two-is-less"


def test_copying_and_downloading_give_exactly_the_program(root):
    page = render(root, SNIPPET)
    assert [node.attributes["data-copy"] for node in page.walk() if "data-copy" in node.attributes] == [PROGRAM]
    (download,) = page.find("a", "literate-download")
    assert unquote(download.attributes["href"].partition(",")[2]) == PROGRAM
    (output,) = page.find(css_class="literate-output")
    assert "no-copy" in output.attributes["class"].split()


def test_a_snippet_names_its_file_and_the_command_that_runs_it(root):
    page = render(root, SNIPPET)
    (name,) = page.find(css_class="literate-name")
    assert (
        name.find("a")[0].attributes["href"] == "https://example.org/repository/blob/main/snippets/tree/two-is-less.py"
    )
    assert code(page, "literate-command") == "python -m scratch snippets/tree/two-is-less.py"


def test_a_snippet_in_a_folded_answer_looks_the_same(root):
    folded = render(root, '??? question "What?"\n\n' + textwrap.indent(f"Think.\n\n{SNIPPET}\nBecause.\n", "    "))
    (details,) = folded.find("details")
    assert code(details, "literate-code") == PROGRAM
    assert code(details, "literate-output") == "tensor([True, True]) <b>\n"
    assert [node.text for node in details.find("p") if not node.find(css_class="literate-live")] == [
        "Think.",
        "Because.",
    ]


def test_a_snippet_in_a_list_stays_in_its_item(root):
    page = render(root, f"- One\n\n{textwrap.indent(SNIPPET, '    ')}\n- Two\n")
    first, second = page.find("li")
    assert code(first, "literate-code") == PROGRAM
    assert second.text.strip() == "Two"


def test_a_program_in_parts_has_one_set_of_results_and_copies_as_a_whole(root):
    text = (
        "<!-- snippet: in-two-parts -->\n```python\nx = 1\n```\n\nBetween.\n\n"
        "<!--pytest-codeblocks:cont-->\n```python\nprint(x)\n```\n"
        "<!--pytest-codeblocks:expected-output-->\n```text\n1\n```\n"
    )
    page = render(root, text)
    first, second = page.find(css_class="literate-code")
    assert first.attributes["data-copy"] == "x = 1\nprint(x)\n"  # and assets/cards.js gives it to the second
    assert f"#{second.attributes['data-copy-of']}" == page.find("a", "literate-anchor")[0].attributes["href"]
    first, second = page.find(css_class="literate")
    assert first.find(css_class="literate-head") and not second.find(css_class="literate-head")
    assert second.find(css_class="literate-foot") and not first.find(css_class="literate-foot")
    assert [node.attributes.get("id") for node in (first, second)] == ["snippet-in-two-parts", None]
    assert code(page, "literate-output") == "1\n"


def test_a_program_that_prints_nothing_has_no_output(root):
    page = render(root, "<!-- snippet: says-nothing -->\n```python\nx = 1\n```\n")
    assert page.find(css_class="literate-output") == []
    assert code(page, "literate-code") == "x = 1\n"


def test_an_example_of_a_snippet_is_shown_and_not_taken_for_one(root):
    page = render(root, f"````markdown\n{SNIPPET}````\n")
    assert page.find(css_class="literate") == []
    assert "snippet: two-is-less" in page.text


def test_badges_say_what_exactly_this_program_ran_on(root):
    note(root, ("torch", "cpu"), ("scratch", "cpu"), ("torch", "cuda"), ("scratch", "cuda"))
    page = render(root, SNIPPET)
    assert [badge.text for badge in page.find(css_class="literate-badge")] == [
        "torch.nn ✓",
        "scratch ✓",
        "CPU ✓",
        "CUDA ✓",
    ]
    assert [version.text for version in page.find(css_class="literate-version")] == ["torch 2.13.0"]


def test_the_details_of_the_badges_can_be_asked_for_by_keyboard_and_are_read_out(root):
    note(root, ("torch", "cpu"), ("scratch", "cpu"), ("torch", "cuda"), ("scratch", "cuda"))
    page = render(root, SNIPPET)
    (badges,) = page.find(css_class="literate-badges")
    (tip,) = badges.find(css_class="literate-tip")
    assert [line.text for line in tip.find("span")] == [
        f"{module} on {device.upper()}: torch 2.13.0+cpu, A {device} & more, 2026-11-30"
        for device in ("cpu", "cuda")
        for module in ("torch.nn", "scratch")
    ]
    assert badges.attributes["tabindex"] == "0" and "title" not in badges.attributes
    assert badges.attributes["aria-label"] == "Recorded runs"
    assert badges.attributes["aria-describedby"] == tip.attributes["id"] and tip.attributes["role"] == "tooltip"


def test_a_device_on_which_only_one_module_ran_has_no_badge(root):
    note(root, ("torch", "cpu"), ("scratch", "cpu"), ("torch", "cuda"))
    page = render(root, SNIPPET)
    assert [badge.text for badge in page.find(css_class="literate-badge")] == ["torch.nn ✓", "scratch ✓", "CPU ✓"]


def test_another_program_or_another_module_has_no_badge(root):
    note(root, ("torch", "cpu"), ("scratch", "cpu"))
    assert render(root, SNIPPET.replace("< 3", "< 4")).find(css_class="literate-badges") == []
    note(root, ("torch", "cpu"), ("scratch", "cpu"), module="0" * 64)
    assert render(root, SNIPPET).find(css_class="literate-badges") == []
    (root / "snippets" / "record.json").unlink()
    assert render(root, SNIPPET).find(css_class="literate-badges") == []


def test_the_module_so_far_is_that_of_the_page(root):
    page = render(root, "Text.\n\n<!-- literate: module-so-far tree -->\n\nMore.\n", name="registration")
    (line,) = page.find(css_class="literate-so-far")
    assert line.find("a")[0].attributes["href"] == "downloads/module-registration.py"
    assert [node.text for node in page.find("p")][::2] == ["Text.", "More."]


def test_what_can_be_imported_is_offered_where_the_page_says_so(root):
    cont = "<!--pytest-codeblocks:cont-->\n```python\n\n\nx = 1\n```\n"
    first = SNIPPET[: SNIPPET.index("<!--pytest")]
    page = render(root, f"{first}Text.\n\n<!-- literate: importable numbers_of -->\n\n{cont}")
    (line,) = page.find(css_class="literate-importable")
    link = line.find("a")[0].attributes
    assert link["download"] == "numbers_of.py"
    assert unquote(link["href"].partition(",")[2]) == PROGRAM
    assert code(page, "literate-code") == PROGRAM + "\n\nx = 1\n"
    assert [gap.text for gap in page.find(css_class="literate-gap")] == ["\n\n"]


def test_an_error_of_the_page_is_shown_and_logged_with_its_line(root, caplog):
    page = render(root, "Text.\n\n```python\nprint(1)\n```\n")
    (box,) = page.find(css_class="literate-error")
    assert "docs/en/tree.md:7: a snippet without a name" in box.text
    assert "docs/en/tree.md:7: a snippet without a name" in caplog.text
    assert "print(1)" in page.text


def test_a_damaged_record_is_named_and_shows_no_badge(root, caplog):
    (root / "snippets" / "record.json").write_text("[{", encoding="utf-8")
    page = render(root, SNIPPET)
    assert "record.json is not a record of runs" in caplog.text
    assert code(page, "literate-code") == PROGRAM and "✓" not in page.text


def test_live_results_replace_what_is_written(root, monkeypatch):
    class Runs:
        def result(self, snippet):
            return card.Live("new\n", "Run now.", ("docs/en/tree.md:9: it fails", "Traceback <here>"))

        def errors(self, page):
            return []

    monkeypatch.setattr(card, "live", Runs())
    page = render(root, SNIPPET)
    assert code(page, "literate-output") == "new\n"
    (failed,) = page.find(css_class="literate-failure")
    assert failed.text == "docs/en/tree.md:9: it failsTraceback <here>"
    assert page.find(css_class="literate-live")[0].text == "Run now."


def test_a_missing_include_does_not_end_a_live_build(root, monkeypatch):
    class Runs:
        def result(self, snippet):
            return None

        def errors(self, page):
            return [PageError(page, 7, "the included file docs/en/pictures/x.svg doesn't exist")]

    text = 'Text.\n\n--8<-- "docs/en/pictures/x.svg"\n\nMore.\n'
    monkeypatch.setattr(card, "live", Runs())
    page = render(root, text)
    assert "docs/en/tree.md:7: the included file" in page.find(css_class="literate-error")[0].text
    assert [node.text for node in page.find("p")][-2:] == ["Text.", "More."]


def test_a_text_that_is_no_page_is_rendered_without_links_to_files(root):
    own = {"root": str(root), "repo_url": "https://example.org/repository"}
    text = markdown.markdown(
        SNIPPET, extensions=[*OTHERS, "literate.markdown"], extension_configs={"literate.markdown": own}
    )
    page = read(text)
    assert code(page, "literate-code") == PROGRAM
    assert page.find(css_class="literate-name")[0].find("a") == []


def test_the_labels_of_a_chinese_page_are_chinese_and_its_file_lies_with_the_chinese_ones(root):
    (root / "docs" / "zh").mkdir()
    page = render(root, f"多一句话。\n\n{SNIPPET}", language="zh")
    assert page.find(css_class="literate-label")[0].text == "输出"
    assert page.find(css_class="literate-download")[0].text == "下载"
    assert page.find(css_class="literate-command")[0].text == "python -m scratch snippets/zh/tree/two-is-less.py"
    (link,) = page.find(css_class="literate-name")[0].find("a")
    assert link.attributes["href"].endswith("/blob/main/snippets/zh/tree/two-is-less.py")
    page = render(root, SNIPPET)
    assert page.find(css_class="literate-label")[0].text == "Output"


def test_the_home_page_says_in_figures_what_was_run(root):
    for count, (runs, programs, devices) in enumerate(
        [
            ([("torch", "cpu"), ("scratch", "cpu")], "1", "device: CPU (A cpu & more)"),
            ([(on, device) for on in record.MODULES for device in ("cpu", "cuda")], "1", "CPU (A cpu & more), CUDA"),
        ],
        start=1,
    ):
        note(root, *runs)
        page = render(root, f"<!-- literate: figures -->\n\n{SNIPPET}\n")
        (listed,) = page.find("dl", "literate-figures")
        values = [node.text for node in listed.find("dd")]
        assert values == [programs, "2", str(count), "2.13.0", "2026-11-30"]
        assert devices in listed.text


def test_a_program_that_was_run_on_one_module_only_is_not_counted(root):
    note(root, ("torch", "cpu"), ("scratch", "cuda"))
    assert render(root, f"<!-- literate: figures -->\n\n{SNIPPET}\n").find(css_class="literate-figures") == []


def test_the_figures_say_how_many_of_all_programs_were_run(root):
    note(root, ("torch", "cpu"), ("scratch", "cpu"))
    other = SNIPPET.replace("two-is-less", "two-is-more").replace("< 3", "> 3")
    page = render(root, f"<!-- literate: figures -->\n\n{SNIPPET}\n{other}\n")
    assert page.find("dd")[0].text == "1 of 2"
    note(root, ("torch", "cpu"), ("scratch", "cpu"), module="another scratch/module.py")
    assert render(root, f"<!-- literate: figures -->\n\n{SNIPPET}\n").find("dd") == []
