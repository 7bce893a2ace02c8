"""Update writes what the snippets print into the pages, to the letter, all or nothing."""

import re
import textwrap

import pytest
from small_site import OUTPUT, SNIPPET, files, literate, snippet, write

from literate.course import checks
from literate.reading.pages import PageError, parse, snippets
from literate.writing.update import rewrite, update

NAME = "one-is-one"


def updated(root, text, output):
    """Return a page's text after its snippet printed something, having read it back."""
    (page,) = write(root, tree=text)
    assert not page.errors
    after = rewrite(page, {NAME: output})
    again = parse(after, page.path)
    assert not again.errors
    assert (again.snippets[0].output or "") == output
    return after


def printed(pages, *outputs):
    """Return the outputs of the programs on the pages, in their order, by the programs' files."""
    return dict(zip((one.path() for one in snippets(pages)), outputs, strict=True))


def update_all(pages, root, outputs):
    return update(pages, root, outputs, True, lambda updated: checks.others(updated, root))


def test_an_output_that_is_not_shown_yet_is_added(tmp_path):
    assert updated(tmp_path, SNIPPET + "\nText.\n", "1\n") == SNIPPET + OUTPUT + "\nText.\n"


def test_a_wrong_output_is_replaced_and_nothing_else_is_touched(tmp_path):
    page = "# A\n\n" + SNIPPET + "\n" + OUTPUT + "\nText with two spaces.  \n"
    assert updated(tmp_path, page, "2\n3\n") == page.replace("text\n1\n", "text\n2\n3\n")


def test_an_output_of_a_snippet_that_no_longer_prints_is_removed(tmp_path):
    assert updated(tmp_path, SNIPPET + OUTPUT + "\nText.\n", "") == SNIPPET + "\nText.\n"
    assert updated(tmp_path, SNIPPET + "\n" + OUTPUT + "\nText.\n", "") == SNIPPET + "\nText.\n"


def test_a_right_output_stays_as_it_is_written(tmp_path):
    page = SNIPPET + "\n\n" + OUTPUT.replace("```", "````") + "\n\n\n"
    assert updated(tmp_path, page, "1\n") == page


def test_the_output_goes_after_the_last_fence_of_a_snippet(tmp_path):
    page = SNIPPET + "\nText.\n\n<!--pytest-codeblocks:cont-->\n```python\nprint(2)\n```\n"
    assert updated(tmp_path, page + "\nMore.\n", "1\n2\n") == page + OUTPUT.replace("1\n", "1\n2\n") + "\nMore.\n"


def test_an_output_in_a_folded_answer_is_indented_with_it(tmp_path):
    head = '??? question "Why?"\n\n'
    page = head + textwrap.indent(SNIPPET, "    ") + "\nText.\n"
    after = updated(tmp_path, page, "1\n\n  2\n")
    assert after.endswith("    ```text\n    1\n    \n      2\n    ```\n\nText.\n")


def test_a_blank_line_that_lost_its_indent_is_mended(tmp_path):
    """pytest-codeblocks drops such a line from an output; so do we, and write it back."""
    text = "!!! note\n\n" + textwrap.indent(SNIPPET + OUTPUT.replace("1\n", "1\n\n2\n"), "    ")
    assert "\n\n    2" in text
    assert "\n    \n    2" in updated(tmp_path, text, "1\n\n2\n")


def test_a_fence_in_an_output_gets_a_longer_fence_around_it(tmp_path):
    after = updated(tmp_path, SNIPPET + OUTPUT, "```text\nx\n  ````\n```\n")
    assert "`````text\n```text\n" in after


@pytest.mark.parametrize(
    "output", ["\n", "\n\n1\n\n\n", "  1  \n", "<!--pytest-codeblocks:cont-->\n", "> 1\n", "\u00e4\u4e2d \u00a0.\n"]
)
def test_an_output_comes_back_to_the_letter(tmp_path, output):
    updated(tmp_path, SNIPPET, output)
    updated(tmp_path, "!!! note\n\n" + textwrap.indent(SNIPPET, "    ") + "\nText.\n", output)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("1", "doesn't end with a line end"),
        ("a\tb\n", "tab"),
        ("a\rb\n", "repr"),
        ("\x1b[1mb\n", "repr"),
        ("\x0c\n", "repr"),
        ("\u2028\n", "repr"),
        ("\udcff\n", "repr"),
        ('--8<-- "x"\n', "include marker"),
    ],
)
def test_an_output_that_a_page_cannot_show_is_an_error(tmp_path, output, words):
    (page,) = write(tmp_path, tree="# A\n\n" + SNIPPET)
    with pytest.raises(PageError, match=rf"docs/en/tree.md:4: the output of one-is-one .*{re.escape(words)}"):
        rewrite(page, {NAME: output})


def test_windows_line_ends_stay_on_every_line(tmp_path):
    crlf = lambda text: text.replace("\n", "\r\n")  # noqa: E731
    assert updated(tmp_path, crlf(SNIPPET + "\nText.\n"), "1\n") == crlf(SNIPPET + OUTPUT + "\nText.\n")
    assert updated(tmp_path, crlf(SNIPPET + OUTPUT), "2\n") == crlf(SNIPPET + OUTPUT.replace("\n1\n", "\n2\n"))


def test_a_page_that_ends_with_its_snippet_gets_the_output(tmp_path):
    assert updated(tmp_path, SNIPPET.rstrip("\n"), "1\n") == (SNIPPET + OUTPUT).rstrip("\n")


def test_pages_and_files_change_together(tmp_path):
    pages = write(tmp_path, tree=SNIPPET, modes=snippet("two-is-two", "print(2)\n", "1\n"))
    changes = update_all(pages, tmp_path, printed(pages, "2\n", "1\n"))
    assert sorted(change.path.name for change in changes) == [
        *["modes.md", "one-is-one.out", "one-is-one.py", "programs-modes.ipynb", "programs-tree.ipynb"],
        *["tree.md", "two-is-two.out", "two-is-two.py"],
    ]
    assert files(tmp_path / "snippets")["tree/one-is-one.out"] == b"1\n"
    assert files(tmp_path / "docs")["en/tree.md"].decode() == SNIPPET + OUTPUT


def test_one_output_that_cannot_be_shown_leaves_every_file_as_it_was(tmp_path):
    pages = write(tmp_path, modes=snippet("two-is-two", "print(2)\n"), tree=SNIPPET)
    before = files(tmp_path)
    with pytest.raises(PageError):
        update_all(pages, tmp_path, printed(pages, "2\n", "no line end"))
    assert files(tmp_path) == before


def test_a_page_that_was_edited_while_its_snippets_ran_is_not_overwritten(tmp_path):
    pages = write(tmp_path, tree=SNIPPET)
    write(tmp_path, tree=SNIPPET + "\nA new sentence.\n")
    with pytest.raises(PageError, match="changed while its snippets ran"):
        update_all(pages, tmp_path, printed(pages, "1\n"))
    assert files(tmp_path / "docs")["en/tree.md"].decode().endswith("A new sentence.\n")


def test_the_command_runs_and_writes_and_then_there_is_nothing_to_do(tmp_path):
    write(
        tmp_path,
        tree=SNIPPET,
        modes="# Modes\n\n" + snippet("it-prints-much", "for i in range(3):\n    print(i)\n", "0\n"),
    )
    status, said = literate(tmp_path, "update")
    assert (status, "changed docs/en/modes.md" in said) == (0, True), said
    assert files(tmp_path / "snippets")["modes/it-prints-much.out"] == b"0\n1\n2\n"
    assert files(tmp_path / "docs")["en/tree.md"].decode() == SNIPPET + OUTPUT
    status, said = literate(tmp_path, "update", "modes")
    assert (status, "1 snippet run, 0 files changed" in said) == (0, True), said


def test_the_command_refuses_where_a_snippet_fails_or_the_modules_differ(tmp_path):
    differs = "import sys\nprint('scratch' in sys.modules)\n"
    write(tmp_path, tree=SNIPPET, modes=snippet("it-differs", differs) + snippet("it-fails", "raise ValueError\n"))
    before = files(tmp_path)
    status, said = literate(tmp_path, "update")
    assert status == 1
    assert said.startswith("docs/en/modes.md:2: torch and scratch differ on cpu: it-differs")
    assert "nothing is updated: 2 of 3 snippets fail" in said
    assert files(tmp_path) == before
