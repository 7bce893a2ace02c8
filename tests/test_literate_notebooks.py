"""The programs of a page as one notebook: what is in it, that it runs, and the links that lead to it."""

import contextlib
import io
import json
import re
from pathlib import Path

import markdown
import pytest
from sites import read
from small_site import OUTPUT, SNIPPET, literate, snippet, write

from literate.course.notebooks import notebook_path, of_page
from literate.reading.pages import parse, read_site
from literate.reading.repository import LANGUAGES

ROOT = Path(__file__).resolve().parent.parent
SITE = "site_url: https://example.org/course/\n"
PAGE = (
    "# The `tree`, [walked](moving.md)\n\n" + SNIPPET + OUTPUT + "\n## Twice\n\n" + snippet("two-is-two", "print(2)\n")
)


def cells_of(notebook):
    return [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(notebook)["cells"]]


def test_a_notebook_has_the_programs_under_their_headings_with_links_to_the_site(tmp_path):
    (tmp_path / "mkdocs.yml").write_text(SITE, encoding="utf-8")
    (page,) = write(tmp_path, tree=PAGE)
    cells = cells_of(of_page(page, tmp_path))
    assert cells[0][1].startswith("# The `tree`, walked\n\nThe programs of [The `tree`, walked](https://example.org/")
    assert cells[1:] == [
        ("markdown", "[one is one](https://example.org/course/tree/#snippet-one-is-one)"),
        ("code", "print(1)"),
        (
            "markdown",
            "## [Twice](https://example.org/course/tree/#twice)\n\n"
            "[two is two](https://example.org/course/tree/#snippet-two-is-two)",
        ),
        ("code", "print(2)"),
    ]


def test_a_cell_holds_what_its_program_printed(tmp_path):
    (page,) = write(tmp_path, tree=PAGE)
    outputs = [cell["outputs"] for cell in json.loads(of_page(page, tmp_path))["cells"] if cell["cell_type"] == "code"]
    assert outputs == [[{"name": "stdout", "output_type": "stream", "text": ["1\n"]}], []]


def test_a_notebook_is_extracted_for_each_page_with_programs_and_goes_with_them(tmp_path):
    write(tmp_path, tree=PAGE, about="# About\n", index="# Home\n")
    assert literate(tmp_path, "extract")[0] == 0
    folder = tmp_path / "docs" / "en" / "downloads"
    assert [path.name for path in folder.iterdir()] == ["programs-tree.ipynb"]
    write(tmp_path, tree="# The tree\n", modes=SNIPPET)
    assert literate(tmp_path, "extract")[0] == 0
    assert [path.name for path in folder.iterdir()] == ["programs-modes.ipynb"]


def test_a_notebook_of_other_programs_is_said_by_check(tmp_path):
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "module.py").write_text("class Module: ...\n", encoding="utf-8")
    write(tmp_path, tree=PAGE)
    literate(tmp_path, "extract")
    file = tmp_path / "docs" / "en" / "downloads" / "programs-tree.ipynb"
    file.write_text(file.read_text(encoding="utf-8").replace("print(2)", "print(3)"), encoding="utf-8")
    status, said = literate(tmp_path, "check")
    assert status == 1 and "docs/en/downloads/programs-tree.ipynb: not as the pages give it" in said
    assert "print(3)" in said


def test_each_page_has_a_name_of_its_own():
    assert notebook_path(Path("docs/en/tree.md")) == Path("docs/en/downloads/programs-tree.ipynb")
    assert notebook_path(Path("docs/zh/answers/walking.md")) == Path("docs/zh/downloads/programs-answers-walking.ipynb")
    paths = [notebook_path(page.path) for page in read_site(ROOT)]
    assert len(set(paths)) == len(paths)


def test_every_notebook_is_a_valid_one():
    nbformat = pytest.importorskip("nbformat")
    paths = sorted(ROOT.glob("docs/*/downloads/programs-*.ipynb"))
    assert {path.parts[-3] for path in paths} == set(LANGUAGES)
    for path in paths:
        nbformat.validate(nbformat.read(path, 4))


@pytest.mark.parametrize("name", ["registration", "modes"])
def test_run_from_top_to_bottom_a_notebook_prints_what_it_shows(name):
    """In one process and one namespace, as a notebook runs; `pytest --codeblocks` runs all pages in one process."""
    notebook = json.loads((ROOT / "docs" / "en" / "downloads" / f"programs-{name}.ipynb").read_text(encoding="utf-8"))
    names = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec("".join(cell["source"]), names)
            assert printed.getvalue() == "".join(line for output in cell["outputs"] for line in output["text"])


# The links


def paragraph(root, name="tree", **settings):
    """Return the paragraph of a rendered page that offers its notebook."""
    path = root / "docs" / "en" / f"{name}.md"
    own = {"root": str(root), **settings}
    extensions = ["attr_list", "literate.markdown"]
    text = path.read_text(encoding="utf-8")
    html = markdown.markdown(text, extensions=extensions, extension_configs={"literate.markdown": own})
    return read(html).find("p", "literate-notebook")


def test_a_page_offers_its_notebook_to_download_and_on_colab(tmp_path):
    write(tmp_path, tree=PAGE)
    literate(tmp_path, "extract")
    (line,) = paragraph(tmp_path, repo_url="https://github.com/owner/course", branch="trunk")
    download, colab = line.find("a")
    assert download.attributes["href"] == "downloads/programs-tree.ipynb"
    assert download.attributes["download"] == "programs-tree.ipynb"
    path = "owner/course/blob/trunk/docs/en/downloads/programs-tree.ipynb"
    assert colab.attributes["href"] == f"https://colab.research.google.com/github/{path}"


def test_colab_is_not_named_where_the_repository_is_not_on_github(tmp_path):
    write(tmp_path, tree=PAGE)
    literate(tmp_path, "extract")
    (line,) = paragraph(tmp_path, repo_url="https://example.org/course")
    assert line.text == "The programs of this page as one notebook: download it."


def test_a_page_below_a_folder_leads_to_the_downloads_of_its_language(tmp_path):
    (tmp_path / "docs" / "en" / "answers").mkdir(parents=True)
    (tmp_path / "docs" / "en" / "answers" / "walking.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "docs" / "en" / "downloads").mkdir()
    (tmp_path / "docs" / "en" / "downloads" / "programs-answers-walking.ipynb").write_text("{}", encoding="utf-8")
    (line,) = paragraph(tmp_path, name="answers/walking")
    assert line.find("a")[0].attributes["href"] == "../downloads/programs-answers-walking.ipynb"


def test_a_page_without_programs_or_whose_notebook_is_not_written_offers_none(tmp_path):
    write(tmp_path, tree=PAGE, about="# About\n")
    assert paragraph(tmp_path) == paragraph(tmp_path, name="about") == []


def test_the_programs_of_the_notebooks_are_those_of_the_pages():
    for page in read_site(ROOT):
        if page.snippets:
            cells = cells_of((ROOT / notebook_path(page.path)).read_text(encoding="utf-8"))
            assert [text for kind, text in cells if kind == "code"] == [one.code.rstrip("\n") for one in page.snippets]
            headings = re.findall(r"^## ", "\n".join(text for kind, text in cells if kind == "markdown"), re.MULTILINE)
            assert len(headings) <= len(page.snippets)
    assert parse(PAGE, Path("x.md")).errors == []
