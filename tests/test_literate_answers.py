"""Questions are found by chapter, by error message and by name; a comment that means nothing is an error."""

from pathlib import Path

import pytest
import torch
from sites import ROOT

from literate.course import answers
from literate.course.reference_words import WORDS
from literate.reading.pages import LANGUAGES, PageError, parse, read_pages, read_site

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
SAY = {"between": "; ", "more": "and {count} more", "decided in": "Line {line}:", "section": "{section}"}


@pytest.fixture
def root(tmp_path):
    for folder in ("docs/en/answers", "docs/zh", "scratch"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "scratch" / "module.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "docs" / "en" / "answers" / "lists.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def indexes(root):
    def say(what, **values):
        return SAY.get(what, what).format(**values)

    return answers.Indexes(root, "en", "https://example.org/module.py", say)


def errors(root, text):
    """Return line and rule of each error of the page of answers with this text."""
    (root / "docs" / "en" / "answers" / "lists.md").write_text(text, encoding="utf-8")
    return [(error.line, error.rule) for page in read_pages(root / "docs" / "en") for error in page.errors]


INDEX = Path("docs", "en", "answers", "index.md")


def test_questions_are_listed_by_chapter_error_and_name(indexes):
    assert indexes.lines("<!-- literate: answers by chapter -->", INDEX) == [
        *["", "**[Answers on lists](lists.md)**", ""],
        "- [Why is `None` not filed?](lists.md#why-is-none-not-filed)",
        *["- [Why twice?](lists.md#twice)", ""],
    ]
    assert [line for line in indexes.lines("<!-- literate: answers by error -->", INDEX) if line] == [
        "- [`RuntimeError: twice | over`](lists.md#twice)",
        "- [`TypeError: none of this`](lists.md#why-is-none-not-filed)",
    ]
    assert [line for line in indexes.lines("<!-- literate: answers by name -->", INDEX) if line] == [
        "- `kind`: [Why is `None` not filed?](lists.md#why-is-none-not-filed)",
        "- `register`: [Why twice?](lists.md#twice)",
        "- `__setattr__`: [Why is `None` not filed?](lists.md#why-is-none-not-filed)",
    ]


def test_the_line_that_decides_is_linked(indexes):
    lines = indexes.lines("<!-- literate: decided-by if value is None: -->", INDEX)
    assert lines[1] == "[Line 6:](https://example.org/module.py#L6) `if value is None:`"


def test_the_reference_links_programs_and_answers(indexes):
    table = "\n".join(indexes.reference(Path("docs", "en", "reference.md")))
    row = "| [`register`](https://example.org/module.py#L9) | File a name. | "
    assert (
        f"{row}[one is filed](answers/lists.md#snippet-one-is-filed) | [Why twice?](answers/lists.md#twice) |" in table
    )


def test_any_other_line_stays(indexes):
    assert indexes.lines("Text.", INDEX) is None


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
    (error,) = parse("# A\n\n<!-- literate: answers by heart -->\n", Path("docs/en/a.md")).errors
    assert isinstance(error, PageError) and "answers by chapter|error|name" in error.rule


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
    known = answers.names_of_module((ROOT / "scratch" / "module.py").read_text(encoding="utf-8"))
    of_any_class = dir(type("Empty", (), {"__annotations__": {}}))
    own = {name for name in dir(torch.nn.Module) if not name.startswith("___")}  # torch.compile puts such names there
    assert own - set(of_any_class) - set(known) == set()
    assert set(vars(torch.nn.Module())) - set(known) == set()
    for language, words in WORDS.items():
        assert set(words) <= set(known)
        assert [name for name in known if not (words.get(name) or (language == "en" and known[name].sentence))] == []
