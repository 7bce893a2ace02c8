"""Every fence that MkDocs renders is a snippet, an output, an include or not to be run; anything else is an error."""

import io
import random
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from small_site import OUTPUT, SNIPPET, write

from literate.reading.pages import Directive, errors, parse, read_pages, snippets
from literate.reading.sections import places

ROOT = Path(__file__).parents[1]
PAGE = Path("docs/en/tree.md")
CONT = "<!--pytest-codeblocks:cont-->\n```python\nprint(2)\n```\n"

# What the page holds, the line of its first error, and words of the rule.
BAD = {
    "unnamed": ("```python\nprint(1)\n```\n", 1, "without a name"),
    "named twice on one fence": ("<!-- snippet: a-b -->\n" + SNIPPET, 1, "another comment stands between"),
    "name of one word": (SNIPPET.replace("one-is-one", "one"), 1, "can't be the name"),
    "name with capitals": (SNIPPET.replace("one-is-one", "One-Is-One"), 1, "can't be the name"),
    "name with a slash": (SNIPPET.replace("one-is-one", "../one-is-one"), 1, "can't be the name"),
    "name with a space": (SNIPPET.replace("one-is-one", "one is one"), 1, "can't be the name"),
    "no name": (SNIPPET.replace("one-is-one", ""), 1, "can't be the name"),
    "a very long name": (SNIPPET.replace("one-is-one", "a-" * 60 + "a"), 1, "can't be the name"),
    "name comment not alone": ("See <!-- snippet: a-b -->\n```python\n1\n```\n", 1, "on its own line"),
    "name comment over text": ("<!-- snippet: a-b -->\nText.\n```python\n1\n```\n", 1, "stands between"),
    "name comment at the end": ("Text.\n\n<!-- snippet: a-b -->\n", 3, "no fence follows"),
    "name comment before text fence": ("<!-- snippet: a-b -->\n```text\n1\n```\n", 2, "belongs to"),
    "name comment before an include": (
        '<!-- snippet: a-b -->\n```python title="x"\n--8<-- "scratch/module.py"\n```\n',
        2,
        "belongs to",
    ),
    "unknown language": ("```pycon\n>>> 1\n```\n", 1, "unknown fence"),
    "no language": ("```\nx\n```\n", 1, "unknown fence"),
    "py": ("```py\nprint(1)\n```\n", 1, "unknown fence"),
    "Python": ("```Python\nprint(1)\n```\n", 1, "unknown fence"),
    "python3": ("```python3\nprint(1)\n```\n", 1, "unknown fence"),
    "space before the language": ("``` python\nprint(1)\n```\n", 1, "unknown fence"),
    "attributes in braces": ("``` {.python}\nprint(1)\n```\n", 1, "unknown fence"),
    "attributes in braces, close": ("```{.python}\nprint(1)\n```\n", 1, "unknown fence"),
    "braces after the language": ("```python {.x}\nprint(1)\n```\n", 1, "unknown fence"),
    "tildes": ("~~~python\nprint(1)\n~~~\n", 1, "unknown fence"),
    "named tildes": ("<!-- snippet: a-b -->\n~~~python\nprint(1)\n~~~\n", 1, "~~~"),
    "tildes around backticks": ("~~~text\n```python\n```\n~~~\n", 2, "doesn't know ~~~"),
    "title without include": ('```python title="x.py"\nprint(1)\n```\n', 1, "include lines only"),
    "title and more than includes": (
        '```python title="x"\n--8<-- "scratch/module.py"\n1\n```\n',
        1,
        "include lines only",
    ),
    "title and nothing": ('```python title="x"\n```\n', 1, "include lines only"),
    "line numbers only": ('```python linenums="1"\nprint(1)\n```\n', 1, "include lines only"),
    "include without title": ('```python\n--8<-- "scratch/module.py"\n```\n', 1, "needs a title"),
    "include in a snippet": (SNIPPET.replace("print(1)", '--8<-- "scratch/module.py"'), 3, "include marker"),
    "section marker in a snippet": (SNIPPET.replace("print(1)", "# --8<-- [start:x]"), 3, "include marker"),
    "include of a page": ('--8<-- "docs/en/about.md"\n', 1, "only a whole .svg"),
    "include block": ("--8<--\nscratch/module.py\n--8<--\n", 1, "only a whole .svg"),
    "sh": ("```sh\nls\n```\n", 1, "```console"),
    "bash": ("```bash\nls\n```\n", 1, "```console"),
    "four backticks": (SNIPPET.replace("```", "````"), 2, "exactly three backticks"),
    "never closed": ("<!-- snippet: a-b -->\n```python\nprint(1)\n", 2, "never closed"),
    "closed by the next opening": ("<!-- snippet: a-b -->\n```python\nprint(1)\n" + SNIPPET, 2, "isn't closed before"),
    "closed by a longer fence": (SNIPPET.replace("print(1)\n```", "print(1)\n````"), 4, "not every tool"),
    "closed at another indent": (SNIPPET.replace("print(1)\n```", "print(1)\n  ```"), 4, "not every tool"),
    "inline fence": ("```x``` starts this line.\n", 1, "start the line with a word"),
    "metadata without front matter": ("Note: this line is dropped.\n\nText.\n", 1, "metadata"),
    "output before any snippet": (OUTPUT, 1, "an expected-output comment with no snippet before it"),
    "two outputs": (SNIPPET + OUTPUT + OUTPUT, 9, "second output"),
    "output after another fence": (SNIPPET + "```console\n$ x\n```\n" + OUTPUT, 8, "stands between"),
    "output without fence": (SNIPPET + "<!--pytest-codeblocks:expected-output-->\nText.\n", 5, "stands between"),
    "output in a fence without language": (SNIPPET + OUTPUT.replace("text", ""), 6, "```text fence"),
    "output in a python fence": (SNIPPET + OUTPUT.replace("text", "python"), 6, "```text fence"),
    "output after a paragraph comment": (SNIPPET + "<!--pytest-codeblocks:expected-output--> x\n", 5, "isn't allowed"),
    "output in tildes": (SNIPPET + OUTPUT.replace("```", "~~~"), 5, "use backticks"),
    "tab in the output": (SNIPPET + OUTPUT.replace("1", "1\t2"), 7, "tab"),
    "escape in the output": (SNIPPET + OUTPUT.replace("1", "\x1b[1m"), 7, "repr"),
    "include in the output": (SNIPPET + OUTPUT.replace("1", '--8<-- "x"'), 7, "include marker"),
    "cont before any snippet": (CONT, 1, "no snippet before it"),
    "cont after the output": (SNIPPET + OUTPUT + CONT, 9, "after the output"),
    "cont after another fence": (SNIPPET + "```console\n$ x\n```\n" + CONT, 8, "stands between"),
    "cont before a text fence": (SNIPPET + CONT.replace("python", "text"), 6, "belongs to"),
    "cont and a name": (
        SNIPPET + "<!--pytest-codeblocks:cont-->\n" + SNIPPET.replace("one", "two"),
        5,
        "another comment",
    ),
    "skip": ("<!--pytest-codeblocks:skip-->\n" + SNIPPET, 1, "isn't allowed"),
    "skipfile": ("<!--pytest-codeblocks:skipfile-->\n" + SNIPPET, 1, "isn't allowed"),
    "importorskip": ("<!--pytest-codeblocks:importorskip(x)-->\n" + SNIPPET, 1, "isn't allowed"),
    "ignoring white space": (
        SNIPPET + OUTPUT.replace("output", "output-ignore-whitespace"),
        5,
        "isn't allowed",
    ),
    "pytest mark": ("<!--pytest.mark.skip-->\n" + SNIPPET, 1, "isn't allowed"),
    "spaced pytest mark": ("<!-- pytest.mark.xfail -->\n" + SNIPPET, 1, "isn't allowed"),
    "misspelt keyword": (SNIPPET + "<!--pytest-codeblocks:expected_output-->\n```text\n1\n```\n", 5, "isn't allowed"),
    "two comments on a line": (
        SNIPPET + "<!--pytest-codeblocks:cont--><!-- x -->\n```python\n```\n",
        5,
        "isn't allowed",
    ),
    "snippet in a comment": ("<!--\n" + SNIPPET + "-->\n", 2, "inside an HTML comment"),
    "snippet in a comment, closed late": ("Text <!-- hidden\n\n" + SNIPPET + "\n-->\n", 3, "inside an HTML comment"),
    "unnamed in a comment": ("<!--\n```python\n1\n```\n-->\n", 2, "inside an HTML comment"),
    "comment never closed": ("<!-- x\n\nText.\n", 1, "never closed"),
    "fence in a blockquote": ("> ```python\n> print(1)\n> ```\n", 1, "blockquote"),
    "fence after a list marker": ("- ```text\n  x\n  ```\n", 1, "list marker"),
    "fence after a number": ("1. ```python\n   x\n   ```\n", 1, "list marker"),
    "indented code": ("Text.\n\n    print(1)\n", 3, "indented code block"),
    "code indented in a list": ("- item\n\n        print(1)\n", 3, "indented code block"),
    "code indented in an admonition": ('!!! note "x"\n\n    Text.\n\n        print(1)\n', 5, "indented code block"),
    "code in a quote": (">     print(1)\n", 1, "indented code block"),
    "fence indented too far": ("Text.\n\n" + re.sub("(?m)^", "    ", SNIPPET), 3, "indented code block"),
    "admonition indented by two": ("  ??? question\n\n    Text.\n", 1, "indent it by 0"),
    "pre": ("<pre><code>print(1)</code></pre>\n", 1, "write a fence"),
    "code over lines": ("<code>\nprint(1)\n</code>\n", 1, "write a fence"),
    "indented with a tab": (re.sub("(?m)^", "\t", SNIPPET), 1, ""),
    "tab in the code": (SNIPPET.replace("print(1)", "if 1:\n\tprint(1)"), 4, "tab"),
    "code indented less than its fence": (re.sub("(?m)^", "  ", SNIPPET).replace("  print", "print"), 3, "less than"),
    "string lost to pytest-codeblocks": (
        re.sub("(?m)^", "  ", SNIPPET).replace("print(1)", 'x = """\n\n  """'),
        2,
        "loses a blank line",
    ),
    "import of both": (SNIPPET.replace("print(1)", "import torch, scratch"), 3, "never scratch"),
    "empty snippet": (SNIPPET.replace("print(1)\n", "\n"), 2, "no code"),
    "import of scratch": (SNIPPET.replace("print(1)", "from scratch.module import Module"), 3, "never scratch"),
    "byte order mark": ("\ufeff" + SNIPPET, 1, "byte order mark"),
    "lone carriage return": (SNIPPET.replace("print(1)\n", "print(1)\r"), 3, "carriage return"),
    "literate comment not alone": ("See <!-- literate: figures -->\n", 1, "unknown literate"),
    "importable with a hyphen": (SNIPPET + "<!-- literate: importable a-b -->\n", 5, "unknown literate"),
    "importable before any snippet": ("<!-- literate: importable gpt -->\n", 1, "after a fence of a snippet"),
    "importable after the output": (SNIPPET + OUTPUT + "<!-- literate: importable gpt -->\n", 9, "before its output"),
    "importable that hides a module": (SNIPPET + "<!-- literate: importable json -->\n", 5, "Python's own module json"),
    "importable that hides torch": (SNIPPET + "<!-- literate: importable torch -->\n", 5, "another name"),
    "importable twice": (SNIPPET + "<!-- literate: importable gpt -->\n\n" * 2, 7, "a second module gpt"),
    "spaces first": ("    \n" + SNIPPET, 1, "begins with spaces"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_page_gets_page_line_and_rule(case):
    text, line, words = BAD[case]
    page = parse(text, PAGE)
    assert page.errors, "no error at all"
    assert str(page.errors[0]).startswith(f"docs/en/tree.md:{line}: ")
    assert words in page.errors[0].rule


@pytest.mark.parametrize("case", BAD)
def test_a_bad_page_is_found_bad_with_windows_line_ends_too(case):
    text, line, _ = BAD[case]
    if "\r" not in text:
        assert parse(text.replace("\n", "\r\n"), PAGE).errors[0].line == line


def test_all_errors_of_a_page_are_reported_at_once():
    page = parse("```py\n```\n\n```sh\n```\n\n" + SNIPPET + "~~~python\n~~~\n", PAGE)
    assert [error.line for error in page.errors] == [1, 4, 11]


def test_a_snippet_knows_its_fences_its_output_and_its_lines():
    page = parse("# Tree\n\n" + SNIPPET + "\nText.\n\n" + CONT + "\n" + OUTPUT.replace("1\n", "1\n2\n"), PAGE)
    (snippet,) = page.snippets
    assert not page.errors
    assert (snippet.name, snippet.line, snippet.output, snippet.output_line) == ("one-is-one", 4, "1\n2\n", 16)
    assert snippet.code == "print(1)\nprint(2)\n"
    assert [snippet.page_line(line) for line in (1, 2)] == [5, 12]
    assert snippet.path(Path("r")) == Path("r/snippets/tree/one-is-one.py")


@pytest.mark.parametrize("comment", ["<!-- pytest-codeblocks:cont -->", "<!--- pytest-codeblocks: cont --->"])
def test_comments_may_be_spaced_as_pytest_codeblocks_allows(comment):
    page = parse(SNIPPET + CONT.replace("<!--pytest-codeblocks:cont-->", comment), PAGE)
    assert not page.errors
    assert len(page.snippets[0].fences) == 2


def test_indented_snippets_lose_the_indent_of_their_fence():
    body = re.sub("(?m)^(?=.)", "    ", "<!-- snippet: a-b -->\n```python\nif 1:\n\n    print(1)\n```\n" + OUTPUT)
    for head in ('??? question "Why?"', "- item", "1. item", '=== "Tab"', "!!! note"):
        page = parse(f"{head}\n\n    Text.\n\n{body}", PAGE)
        assert not page.errors, head
        assert page.snippets[0].code == "if 1:\n\n    print(1)\n"


def test_what_is_not_run_may_stand_in_a_page():
    page = parse(
        "---\ntitle: x\n---\nSee `<!--` and `<pre>`; <code>x</code>.\n\n```console\n$ ls\n```\n\n~~~text\nx\n~~~\n\n"
        '```toml title="pyproject.toml"\nx = 1\n```\n\n````text\n```python\n```\n````\n\n- item\n\n    more of it\n\n'
        "<!-- a comment\nof two lines -->\n\n[^1]: a note\n\n<!-- literate: module-so-far tree -->\n",
        PAGE,
    )
    assert page.errors == []
    assert page.directives == [Directive(32, "module-so-far", "tree")]


def test_each_item_of_a_list_may_go_on_indented():
    text = "Text.\n\n1. one\n   still one\n2. two\n    still two\n\n    a paragraph of two\n3. three\n    still three\n"
    assert parse(text, PAGE).errors == []


def test_a_name_given_twice_is_an_error_that_names_both_places(tmp_path):
    found = errors(write(tmp_path, a=SNIPPET, b="# B\n\n" + SNIPPET))
    assert [str(error) for error in found] == [
        "docs/en/b.md:4: 'one-is-one' is the name of another snippet, at docs/en/a.md:2: rename one"
    ]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("scratch/module.py:tree", None),
        ("scratch/module.py", None),
        ("snippets/a/one-is-one.py", None),
        ("scratch/module.py:wood", "no section 'wood'"),
        ("scratch/modul.py", "doesn't exist"),
        ("setup.py", "isn't tested"),
        ("../setup.py", "path from the repository's root"),
        ("/etc/passwd", "path from the repository's root"),
        ("scratch/notes.txt", "includes Python"),
    ],
)
def test_an_included_file_exists_and_is_tested(tmp_path, path, words):
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "module.py").write_text("# --8<-- [start:tree]\nx = 1\n# --8<-- [end:tree]\n")
    (tmp_path / "scratch" / "notes.txt").write_text("x\n")
    (tmp_path / "setup.py").write_text("x\n")
    found = errors(write(tmp_path, a=SNIPPET + f'\n```python title="x"\n--8<-- "{path}"\n```\n'))
    assert [error.rule for error in found if words is None or words not in error.rule] == []
    assert len(found) == (words is not None)


def test_a_picture_that_is_not_there_is_an_error(tmp_path):
    found = errors(write(tmp_path, a='<figure>\n--8<-- "docs/en/pictures/tree.svg"\n</figure>\n'))
    assert [error.line for error in found] == [2]


def test_a_page_that_is_not_utf8_is_an_error_with_its_line(tmp_path):
    write(tmp_path, a="x")
    (tmp_path / "docs/en/a.md").write_bytes(b"# A\n\n\xff\n")
    (error,) = errors(read_pages(tmp_path / "docs" / "en"))
    assert (error.line, "UTF-8" in error.rule) == (3, True)


def test_a_page_that_only_mkdocs_would_read_is_an_error(tmp_path):
    write(tmp_path, a="x")
    (tmp_path / "docs/en/b.markdown").write_text("x")
    assert [error.page.name for error in errors(read_pages(tmp_path / "docs" / "en"))] == ["b.markdown"]


# The same programs for everybody


def collected(text):
    """Return what pytest-codeblocks would run."""
    from pytest_codeblocks.main import extract_from_buffer

    blocks = extract_from_buffer(io.StringIO(text, newline=None))
    run = [block for block in blocks if block.syntax in ("python", "sh", "bash")]
    assert not any(block.marks or block.importorskip for block in run)
    return [(block.lineno, without_blank_lines(block.code), block.expected_output) for block in run]


def found(page):
    return [(snippet.line, without_blank_lines(snippet.code), snippet.output) for snippet in page.snippets]


def without_blank_lines(code):
    return "".join(line for line in code.splitlines(keepends=True) if line.strip())


def test_pytest_codeblocks_collects_exactly_the_snippets_of_the_pages():
    pages = read_pages(ROOT / "docs" / "en")
    assert [str(error) for error in errors(pages)] == []
    assert len(snippets(pages)) >= 60
    for page in pages:
        assert collected(page.text) == found(page), page.path


def test_pytest_itself_collects_exactly_the_snippets_of_the_pages():
    command = [sys.executable, "-m", "pytest", "--codeblocks", "--collect-only", "-p", "no:cacheprovider", "docs/en"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    ours = [f"{one.page.as_posix()}::line {one.line}" for one in snippets(read_pages(ROOT / "docs" / "en"))]
    assert sorted(re.findall(r"(?m)^.*::line \d+$", done.stdout)) == sorted(ours)


def test_every_chapter_offers_the_module_so_far_and_every_offer_is_known():
    pages = read_pages(ROOT / "docs" / "en")
    sections = [one.argument for page in pages for one in page.directives if one.word == "module-so-far"]
    assert len(sections) > 8 and set(sections) <= set(places((ROOT / "scratch/module.py").read_text(encoding="utf-8")))


def test_snippets_have_five_to_forty_lines():
    for snippet in snippets(read_pages(ROOT / "docs" / "en")):
        # What can be imported is longer, and shown in parts.
        parts = [fence.code for fence in snippet.fences] if snippet.importable else [snippet.code]
        for part in parts:
            assert 5 <= len(part.splitlines()) <= 40, f"{snippet.page}:{snippet.line}"
        assert len(snippet.code.splitlines()) <= 240


class Blocks(HTMLParser):
    """Collect the text of each code block of a rendered page."""

    def __init__(self):
        super().__init__()
        self.inside, self.blocks = 0, []

    def handle_starttag(self, tag, attrs):
        if tag == "pre":
            self.inside += 1
            self.blocks.append("")

    def handle_endtag(self, tag):
        self.inside -= tag == "pre"

    def handle_data(self, data):
        if self.inside:
            self.blocks[-1] += data


def rendered(text):
    """Return the code blocks that MkDocs would show."""
    import markdown

    parser = Blocks()
    names = ["admonition", "attr_list", "md_in_html", "tables", "pymdownx.details", "pymdownx.superfences"]
    parser.feed(markdown.markdown(text, extensions=[*names, "pymdownx.highlight", "pymdownx.tabbed"]))
    return squeezed(parser.blocks)


def squeezed(blocks):
    """Leave out what no reader sees: empty blocks, empty lines around a block, spaces that end a line."""
    plain = (re.sub(r"[ \t]+\n", "\n", block.expandtabs(4) + "\n").strip("\n") for block in blocks)
    return [block for block in plain if block]


PIECES = [
    *[SNIPPET.replace("one-is-one", "a-%d")] * 2,
    *[OUTPUT, CONT, "```console\n$ x\n```\n", "````text\n```python\n```\n````\n", "~~~text\nx\n~~~\n"],
    '```python title="x"\n--8<-- "scratch/module.py"\n```\n',
]
LINES = """
```python
```
```text
````
~~~
~~~python
```py
``` python
<!-- snippet: a-%d -->
<!--pytest-codeblocks:cont-->
<!--
-->
<!-- x -->
<!--pytest.mark.skip-->
text
print(1)
> quote
- item
1. item
!!! note
??? question
=== "Tab"
## Head
    x
<pre>
a `<!--` b
```inline```
---
***

""".splitlines()


def any_page(choice):
    """Make up a page of good pieces, mostly, in odd places."""
    text = ""
    for _ in range(choice.randint(1, 5)):
        indent = choice.choice(["", "", "", "", "    ", "  ", "        ", "\t", "> "])
        lines = choice.choice(PIECES).splitlines() if choice.random() < 0.75 else [choice.choice(LINES)]
        if choice.random() < 0.15:
            at = choice.randrange(len(lines))
            lines[at : at + choice.randint(0, 1)] = [choice.choice(LINES)]
        text += "\n" * choice.randint(0, 1) + "".join(indent + line + "\n" for line in lines)
    parts = text.split("%d")
    return parts[0] + "".join(f"{number}{part}" for number, part in enumerate(parts[1:]))


def test_no_made_up_page_is_read_in_two_ways():
    pytest.importorskip("pymdownx")
    good = 0
    for seed in range(3000):
        text = any_page(random.Random(seed))
        page = parse(text, PAGE)
        if not page.errors:
            good += 1
            assert collected(text) == found(page), f"seed {seed}\n{text}"
            assert rendered(text) == squeezed(fence.code for fence in page.fences), f"seed {seed}\n{text}"
    assert good > 300
