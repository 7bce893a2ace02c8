"""A translation has all of its page but the words, and says when it is behind."""

import re
import subprocess
from pathlib import Path

import pytest
from small_site import files, literate

from literate.__main__ import main
from literate.reading.headings import headings
from literate.reading.pages import parse
from literate.reading.text import without_comments
from literate.translating.stamp import blob_hash

ENGLISH = """\
---
title: The tree
description: One walk behind every method.
---

# The tree

Read [registration](registration.md) first.

## `walk()` in *two* lines

<!-- snippet: one-is-one -->
```python
# the first line
print(1)  # and its end

print("# no comment")
```
<!--pytest-codeblocks:expected-output-->
```text
1
# no comment
```

```console
$ make test
```

??? question "What is printed?"

    <!-- snippet: two-is-two -->
    ```python
    print(2)
    ```

| a | b |
|---|---|
| 1 | [the article](https://example.org/article) |
"""
CHINESE = """\
---
title: 模块树
description: 每个方法背后的同一种遍历。
---

# 模块树 { #the-tree }

先读[注册](registration.md)。

## 两行写完 `walk()` { #walk-in-two-lines }

<!-- snippet: one-is-one -->
```python
# 第一行
print(1)  # 行尾

print("# no comment")
```
<!--pytest-codeblocks:expected-output-->
```text
1
# no comment
```

```console
$ make test
```

??? question "会打印什么？"

    <!-- snippet: two-is-two -->
    ```python
    print(2)
    ```

| 甲 | 乙 |
|---|---|
| 1 | [文章](https://example.org/article) |
"""
LAB = "# %% [markdown]\n# # A lab\n#\n# See [the tree](../../tree/).\n\n# %%\nx = 1  # one\nprint(x)\n"
LAB_IN_CHINESE = "# %% [markdown]\n# # 实验\n#\n# 见[模块树](../../tree/)。\n\n# %%\nx = 1  # 一\nprint(x)\n"


@pytest.fixture
def root(tmp_path, monkeypatch):
    """Make a repository, known to git, with a page and a lab that are translated and stamped."""
    write(tmp_path, "docs/en/tree.md", ENGLISH)
    write(tmp_path, "docs/zh/tree.md", CHINESE)
    write(tmp_path, "docs/en/labs/a-lab.py", LAB)
    write(tmp_path, "docs/zh/labs/a-lab.py", LAB_IN_CHINESE)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    monkeypatch.chdir(tmp_path)
    assert main(["translations", "stamp"]) == 0
    return tmp_path


def git(root, *command):
    subprocess.run(["git", *command], cwd=root, check=True, capture_output=True)


def write(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8", newline="")


def change(root, path, old, new):
    text = (root / path).read_text(encoding="utf-8")
    assert old in text
    write(root, path, text.replace(old, new, 1))


def check(capsys, *pages):
    capsys.readouterr()
    return main(["translations", "check", *pages]), capsys.readouterr().out


def line_of(root, path, text):
    return next(n for n, line in enumerate((root / path).read_text(encoding="utf-8").split("\n"), 1) if text in line)


def test_all_is_well(root, capsys):
    assert check(capsys) == (0, "2 translations: all is well\n")


@pytest.mark.parametrize(
    ("old", "new", "at", "words"),
    [
        (" { #walk-in-two-lines }", "", "## 两行", "end the line with ` { #walk-in-two-lines }`"),
        ("## 两行", "### 两行", "### 两行", "stands where docs/en/tree.md:10 has the heading"),
        ("one-is-one", "another-name", "```python", "another-name"),
        ('print("# no', 'print("# yes', 'print("# yes', "only comments are translated"),
        ("print(1)", "print(1, end='')", "print(1, ", "there: print(1)"),
        ("\n1\n# no", "\n2\n# no", "```text", "the output of one-is-one is not the one of docs/en/tree.md:20"),
        ("```console\n$ make test\n```\n", "", "??? question", "a ```console fence of docs/en/tree.md:25 is missing"),
        ("??? question", "!!! question", "!!! question", "a box opened with `!!! question`"),
        ("## 两行", "<!-- literate: module-so-far -->\n\n## 两行", "<!-- literate:", "remove it"),
        ("(registration.md)", "(modes.md)", "modes.md", "no link to modes.md"),
        ("先读[注册](registration.md)。", "先读。", "# 模块树", "lacks the link to registration.md"),
        ("| 甲 | 乙 |\n|---|---|\n", "", "| 1 |", "a table of 2 columns"),
        (
            "description: 每个方法背后的同一种遍历。",
            "description: One walk behind every method.",
            "desc",
            "still the Eng",
        ),
        ("title: 模块树", "title: 模块树\ntemplate: x.html", "template", "isn't as on the English page"),
        ("description: 每个方法背后的同一种遍历。\n", "", "---", "the front matter lacks `description`"),
    ],
)
def test_each_difference_is_an_error_with_its_line_and_what_to_do(root, capsys, old, new, at, words):
    change(root, "docs/zh/tree.md", old, new)
    status, said = check(capsys, "tree")
    assert status == 1
    line = line_of(root, "docs/zh/tree.md", at)
    assert any(one.startswith(f"docs/zh/tree.md:{line}: ") and words in one for one in said.splitlines()), said


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("x = 1", "x = 2", "docs/zh/labs/a-lab.py:9: not the code of docs/en/labs/a-lab.py:6"),
        ("# # 实验", "# ## 实验", "docs/zh/labs/a-lab.py:1: the cell has not as many headings"),
        ("../../tree/", "../../modes/", "no link to ../../modes/"),
        (
            "# %%\nx",
            "# %% [markdown]\n# 多\n\n# %%\nx",
            "a cell of markdown where docs/en/labs/a-lab.py:6 has one of code",
        ),
        ("print(x)\n", "print(x)\n\n# %%\n1\n", "the lab has 3 cells, and docs/en/labs/a-lab.py has 2"),
    ],
)
def test_a_lab_has_the_same_cells(root, capsys, old, new, words):
    change(root, "docs/zh/labs/a-lab.py", old, new)
    status, said = check(capsys)
    assert (status, words in said) == (1, True), said


def test_a_page_that_is_on_one_side_only_is_an_error(root, capsys):
    write(root, "docs/en/modes.md", ENGLISH)
    write(root, "docs/zh/moving.md", CHINESE)
    status, said = check(capsys)
    assert status == 1
    assert "docs/zh/modes.md:1: there is no such page: translate docs/en/modes.md" in said
    assert "docs/en/moving.md:1: there is no such page, which docs/zh/moving.md translates" in said


def test_equal_without_comments_means_the_same_program():
    one = without_comments("x = 1  # one\n\n# alone\ny = '# no'\n")
    assert one == [(1, "x = 1"), (4, "y = '# no'")]
    assert [line for _, line in one] == [line for _, line in without_comments("x = 1\n# 一\ny = '# no'  # 二\n")]


# The stamp


def test_a_page_whose_english_side_has_changed_is_named_with_the_diff(root, capsys):
    change(root, "docs/en/tree.md", "Read [", "Read the chapter [")
    status, said = check(capsys, "tree")
    assert status == 1
    assert "docs/zh/tree.md:1: docs/en/tree.md has changed since" in said
    assert "\n-Read [registration]" in said and "\n+Read the chapter [registration]" in said
    assert "python -m literate translations stamp docs/zh/tree.md" in said
    assert main(["translations", "stamp", "tree"]) == 0
    assert check(capsys)[0] == 0


def test_a_lab_is_behind_as_a_page_is(root, capsys):
    change(root, "docs/en/labs/a-lab.py", "A lab", "Our lab")
    assert "+# # Our lab" in check(capsys)[1]


def test_another_output_alone_does_not_put_a_translation_behind(root, capsys):
    for path in ("docs/en/tree.md", "docs/zh/tree.md"):
        change(root, path, "\n1\n# no", "\n1.0\n# no")
    assert check(capsys)[0] == 0


def test_without_the_old_text_the_page_is_named_with_what_shows_the_difference(root, capsys):
    change(root, "docs/zh/tree.md", "translation_of: ", "translation_of: 0000")
    change(root, "docs/zh/tree.md", (root / "docs/zh/tree.md").read_text(encoding="utf-8").split("\n")[3][-4:], "")
    status, said = check(capsys, "tree")
    assert (status, "git fetch --unshallow" in said) == (1, True), said


def test_nothing_is_stamped_where_the_check_finds_something(root, capsys):
    change(root, "docs/zh/tree.md", "print(1)", "print(3)")
    change(root, "docs/en/tree.md", "Read [", "Read the chapter [")
    before = files(root)
    assert main(["translations", "stamp", "tree"]) == 1
    assert files(root) == before


def test_a_page_without_a_stamp_is_an_error(root, capsys):
    write(root, "docs/zh/tree.md", CHINESE)
    assert "docs/zh/tree.md:1: nothing says which English text this translates" in check(capsys)[1]


def test_update_carries_outputs_into_both_languages_and_keeps_the_stamp(root, capsys):
    for path in ("docs/en/tree.md", "docs/zh/tree.md"):
        change(root, path, "\n1\n# no", "\nwrong\n# no")
    assert main(["translations", "stamp"]) == 0
    status, said = literate(root, "update")
    assert status == 0, said
    pages = {path: text.decode() for path, text in files(root / "docs").items() if path.endswith(".md")}
    assert all("\n1\n# no comment\n" in text and "```text\n2\n" in text.replace("    ", "") for text in pages.values())
    (stamp,) = re.findall("translation_of: (.*)", pages["zh/tree.md"])
    assert stamp == blob_hash(pages["en/tree.md"])
    assert check(capsys)[0] == 0
    assert {path for path in files(root / "snippets") if path.endswith(".out")} == {
        *("tree/one-is-one.out", "tree/two-is-two.out", "zh/tree/one-is-one.out", "zh/tree/two-is-two.out")
    }


def test_the_stamp_is_the_hash_that_git_gives_the_file(root):
    (stamp,) = re.findall("translation_of: (.*)", (root / "docs/zh/tree.md").read_text(encoding="utf-8"))
    done = subprocess.run(["git", "hash-object", "docs/en/tree.md"], cwd=root, capture_output=True, text=True)
    assert done.stdout == stamp + "\n"


# The commands


def test_check_of_the_whole_names_what_is_wrong_with_translations(root):
    (root / "scratch").mkdir()
    (root / "scratch" / "module.py").write_text("class Module: ...\n")
    change(root, "docs/zh/tree.md", "print(1)", "print(3)")
    status, said = literate(root, "check")
    assert (status, "1 problem with translations" in said) == (1, True), said


def test_a_name_asks_for_both_languages_and_a_path_for_one(root):
    assert "4 snippets extracted" in literate(root, "extract", "tree")[1]
    assert "2 snippets extracted" in literate(root, "extract", "docs/zh/tree.md")[1]
    assert "2 snippets extracted" in literate(root, "extract", "docs/en/tree.md")[1]


def test_the_same_bytes_are_run_once_and_other_bytes_again(root):
    status, said = literate(root, "run", "--device", "cpu", "--module", "torch", "two-is-two")
    assert (status, "2 snippets run" in said) == (1, True), said  # the page shows no output of it
    assert said.count("two-is-two prints, but the page shows no output") == 2


def test_slugs_prints_each_heading_with_its_anchor(root, capsys):
    capsys.readouterr()
    assert main(["translations", "slugs", "docs/en/tree.md"]) == 0
    assert capsys.readouterr().out == "# The tree { #the-tree }\n## `walk()` in *two* lines { #walk-in-two-lines }\n"


def test_an_unknown_page_is_refused(root, capsys):
    assert main(["translations", "check", "trees"]) == 2
    assert "no page trees: there are a-lab, tree" in capsys.readouterr().err


def test_headings_of_the_same_text_have_different_anchors(tmp_path):
    page = parse("# A\n\n## B\n\n## B\n", Path("docs/en/x.md"))
    assert [anchor for _, _, _, anchor, _ in headings(page)] == ["a", "b", "b_1"]
