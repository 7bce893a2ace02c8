"""Questions are found by chapter, by error message and by name; a comment that means nothing is an error."""

from pathlib import Path

import pytest
import torch
from sites import ROOT

from literate.course import answers, checks
from literate.course.names import names_of_module
from literate.course.reference import reference
from literate.reading.pages import parse, read_site
from literate.reading.repository import LANGUAGES
from literate.reading.words import words

MODULE = """\
# --8<-- [start:registration]
class Module:
    kind: int = 3
    # --8<-- [start:setattr]
    def __setattr__(self, name, value):
        if value is None:
            return
    # --8<-- [end:setattr]
    def register(self, name):
        \"\"\"File a name.\"\"\"
        return
# --8<-- [end:registration]
"""
PAGE = """\
---
title: Answers on lists
description: On lists.
---

# Answers on lists

## Why is `None` not filed?

<!-- answer: __setattr__ kind -->

It is none. It has no name.

<!-- snippet: none-is-refused -->

```python
print("TypeError: none of this")
```

<!--pytest-codeblocks:expected-output-->

```text
TypeError: none of this
```

<!-- snippet: one-is-filed -->

```python
module.register("a")
```

<!-- literate: decided-by if value is None: -->

## Why twice? { #twice }

<!-- answer: register -->

<!-- snippet: once-is-not-twice -->

```python
print(1)
```

<!--pytest-codeblocks:expected-output-->

```text
1
```

<!-- snippet: twice-is-twice -->

```python
print("m: RuntimeError: twice | over")
```

<!--pytest-codeblocks:expected-output-->

```text
m: RuntimeError: twice | over
```

<!-- literate: decided-by def register(self, name): -->
"""


@pytest.fixture
def root(tmp_path):
    for folder in ("docs/en/answers", "docs/zh", "scratch"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "scratch" / "module.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "docs" / "en" / "answers" / "lists.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def index(root):
    return answers.Index(root, "en", "https://example.org/module.py")


def errors(root, text):
    """Return line and rule of each error of the page of answers with this text."""
    (root / "docs" / "en" / "answers" / "lists.md").write_text(text, encoding="utf-8")
    return [(error.line, error.rule) for page in checks.read(root) for error in page.errors]


PAGE_OF_INDEX = Path("docs", "en", "answers", "index.md")


def test_questions_are_listed_by_chapter_error_and_name(index):
    assert index.by_chapter(PAGE_OF_INDEX) == [
        *["", "**[Answers on lists](lists.md)**", ""],
        "- [Why is `None` not filed?](lists.md#why-is-none-not-filed)",
        *["- [Why twice?](lists.md#twice)", ""],
    ]
    assert [line for line in index.by_error(PAGE_OF_INDEX) if line] == [
        "- [`RuntimeError: twice | over`](lists.md#twice)",
        "- [`TypeError: none of this`](lists.md#why-is-none-not-filed)",
    ]
    assert [line for line in index.by_name(PAGE_OF_INDEX) if line] == [
        "- `kind`: [Why is `None` not filed?](lists.md#why-is-none-not-filed)",
        "- `register`: [Why twice?](lists.md#twice)",
        "- `__setattr__`: [Why is `None` not filed?](lists.md#why-is-none-not-filed)",
    ]


def test_the_line_that_decides_is_linked(index):
    lines = index.decided("if value is None:")
    assert lines[1] == "[Decided in scratch/module.py, line 6:](https://example.org/module.py#L6) `if value is None:`"


def test_the_reference_links_programs_and_answers(index):
    table = "\n".join(reference(index, Path("docs", "en", "reference.md")))
    row = "| [`register`](https://example.org/module.py#L9) | File a name. | "
    assert (
        f"{row}[one is filed](answers/lists.md#snippet-one-is-filed) | [Why twice?](answers/lists.md#twice) |" in table
    )


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ("<!-- answer: register -->", "", "## Why twice", "a question without `<!-- answer: NAMES -->`"),
        ("<!-- answer: register -->", "<!-- answer: registr -->", "## Why twice", "Module has no registr"),
        ("decided-by if value is", "decided-by if values are", "<!-- literate: decided", "has no line `if values are"),
        ("decided-by if value is None:", "decided-by return", "<!-- literate: decided", "has 2 lines `return`"),
        ("<!-- literate: decided-by def register(self, name): -->", "", "## Why twice", "a question without `<!-- lit"),
        ("<!-- snippet: once-is-not-twice -->\n\n```python\nprint(1)\n```", "", "## Why twice", "fewer than two"),
    ],
    ids=["no names", "unknown name", "no such line", "two such lines", "nothing decides", "one snippet"],
)
def test_a_comment_that_means_nothing_is_an_error_with_its_line(root, old, new, place, words):
    assert PAGE.count(old) == 1
    text = PAGE.replace(old, new)
    line = text[: text.index(place)].count("\n") + 1
    found = errors(root, text)
    assert [rule for number, rule in found if number == line and words in rule] != [], found


def test_a_page_of_answers_as_it_should_be_has_no_error(root):
    assert errors(root, PAGE) == []


def test_an_unknown_literate_comment_names_those_there_are():
    page = parse("# A\n\n<!-- literate: answers by heart -->\n<!-- literate: module-so-fa -->\n", Path("docs/en/a.md"))
    checks.check([page], ROOT)
    assert [error.line for error in page.errors] == [3, 4]
    assert "by chapter, by error, by name" in page.errors[0].rule and "module-so-far" in page.errors[1].rule


# The pages themselves


def test_there_are_forty_questions_in_each_language_and_they_are_the_same():
    found = {}
    for page in read_site(ROOT):
        if answers.is_answers(page.path):
            language = page.path.parts[1]
            found.setdefault(language, []).extend((one.anchor, one.names) for one in answers.read_answers(page))
    assert sorted(found) == sorted(LANGUAGES)
    assert len(found["en"]) >= 40 and found["zh"] == found["en"]


def test_the_reference_has_every_name_of_module_in_each_language():
    known = names_of_module((ROOT / "scratch" / "module.py").read_text(encoding="utf-8"))
    of_any_class = dir(type("Empty", (), {"__annotations__": {}}))
    own = {name for name in dir(torch.nn.Module) if not name.startswith("___")}  # torch.compile puts such names there
    assert own - set(of_any_class) - set(known) == set()
    assert set(vars(torch.nn.Module())) - set(known) == set()
    for language in LANGUAGES:
        said = {key.removeprefix("reference.names.") for key in words(language) if key.startswith("reference.names.")}
        explained = {name for name in known if known[name].sentence} if language == "en" else set()
        assert said == set(known) - explained
