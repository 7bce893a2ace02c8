"""Check says where pages, files and the record disagree, and changes nothing; the record holds what was run."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from small_site import OUTPUT, SNIPPET, extract, files, literate, write

from literate.reading.files import digest
from literate.reading.pages import read_pages
from literate.running import record
from literate.running.matrix import add_to_record, note
from literate.running.run import Result, Run

ROOT = Path(__file__).parents[1]


def result(snippet, module="torch", device="cpu", torch="2.13.0"):
    return Result(Run(snippet, module, device), Path("x.py"), "exit", 0, "1\n", "", 0.1, torch)


@pytest.fixture
def repository(tmp_path):
    """Make a repository where all is well."""
    (tmp_path / "scratch").mkdir()
    (tmp_path / "scratch" / "module.py").write_text("class Module:\n    pass\n")
    pages = write(tmp_path, tree=SNIPPET + OUTPUT)
    extract(pages, tmp_path)
    (snippet,) = pages[0].snippets
    names = {"cpu": "Linux x86_64"}
    note([result(snippet), result(snippet, "scratch")], names, pages, tmp_path)
    return tmp_path


def test_all_is_well(repository):
    before = files(repository)
    assert literate(repository, "check") == (0, "1 page, 1 snippet: all is well\n")
    assert files(repository) == before


@pytest.mark.parametrize(
    ("path", "content", "words"),
    [
        ("snippets/tree/one-is-one.py", "print(2)\n", ["-print(2)", "+print(1)", "literate extract"]),
        ("snippets/tree/one-is-one.out", "2\n", ["-2", "+1", "literate extract"]),
        ("snippets/tree/one-is-one.py", None, ["one-is-one.py: missing", "literate extract"]),
        ("snippets/tree/old-name.py", "1\n", ["old-name.py: no page gives this file", "literate extract"]),
        ("snippets/gone/old-name.out", "1\n", ["old-name.out: no page gives this file"]),
        ("docs/en/downloads/module-tree.py", "1\n", ["module-tree.py: no page gives this file"]),
        ("scratch/module.py", "class Module: ...\n", ["has no recorded run on torch", "literate run --record"]),
        ("snippets/record.json", None, ["docs/en/tree.md:2: one-is-one has no recorded run on scratch (cpu)"]),
        ("snippets/record.json", "[]\n", ["2 runs not recorded"]),
        ("snippets/record.json", "{", ["record.json is not a record of runs", "git checkout"]),
        ("snippets/record.json", '[{"name": "x"}]', ["record.json is not a record of runs"]),
        ("docs/en/modes.md", "```py\n```\n", ["docs/en/modes.md:1: an unknown fence", "1 error in the pages"]),
        ("docs/en/modes.md", SNIPPET, ["name of another snippet"]),
        ("docs/en/tree.md", SNIPPET, ["one-is-one.out: no page gives this file"]),
    ],
)
def test_each_disagreement_is_said_with_what_mends_it_and_nothing_changes(repository, path, content, words):
    file = repository / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink() if content is None else file.write_text(content)
    before = files(repository)
    status, said = literate(repository, "check")
    assert status in (1, 2)
    assert [word for word in words if word not in said] == [], said
    assert files(repository) == before


def test_check_says_so_where_there_is_no_module(repository):
    (repository / "scratch/module.py").unlink()
    status, said = literate(repository, "check")
    assert (status, "scratch/module.py" in said) == (2, True)


# The record


def test_a_record_that_says_the_same_is_the_same_file(repository):
    """A new date alone changes nothing; another torch does."""
    book = repository / "snippets" / "record.json"
    text = book.read_text().replace(json.loads(book.read_text())[0]["date"], "2020-01-01")
    book.write_text(text)
    pages = read_pages(repository / "docs" / "en")
    (snippet,) = pages[0].snippets
    names = {"cpu": "Linux x86_64"}
    note([result(snippet), result(snippet, "scratch")], names, pages, repository)
    assert book.read_text() == text
    note([result(snippet, torch="2.14.0")], names, pages, repository)
    entries = json.loads(book.read_text())
    assert [(entry["module"], entry["torch"], entry["date"] == "2020-01-01") for entry in entries] == [
        ("scratch", "2.13.0", True),
        ("torch", "2.14.0", False),
    ]


def test_entries_of_programs_and_of_a_module_that_are_no_more_are_dropped(repository):
    book = repository / "snippets" / "record.json"
    known = record.load(book)
    (entry, _) = sorted(known.entries.values())
    known.add(replace(entry, device="cuda", device_name="a GPU elsewhere"))
    known.add(replace(entry, snippet="of an older program"))
    known.add(replace(entry, module_py="of an older module.py"))
    pages = read_pages(repository / "docs" / "en")
    add_to_record(known, [], {}, pages, repository)
    kept = [(e["module"], e["device"], e["device_name"]) for e in json.loads(book.read_text())]
    assert kept == [
        ("scratch", "cpu", "Linux x86_64"),
        ("scratch", "cuda", "a GPU elsewhere"),
        ("torch", "cpu", "Linux x86_64"),
    ]


def test_nothing_is_dropped_while_a_page_has_errors(repository):
    book = repository / "snippets" / "record.json"
    before = book.read_text()
    pages = write(repository, tree="```py\n```\n")
    note([], {}, pages, repository)
    assert book.read_text() == before


def test_a_record_has_one_line_an_entry_and_answers_by_both_digests(repository):
    book = repository / "snippets" / "record.json"
    known = record.load(book)
    assert len(book.read_text().splitlines()) == len(known.entries) + 2
    entry = next(iter(known.entries.values()))
    (first, second) = known.entries_for(entry.snippet, entry.module_py)
    assert (first["module"], second["module"], first["device"]) == ("scratch", "torch", "cpu")
    assert known.entries_for(entry.snippet, "another") == known.entries_for("another", entry.module_py) == []


def test_the_command_records_what_went_well_only(repository):
    shutil.rmtree(repository / "snippets")
    write(repository, tree=SNIPPET + OUTPUT + SNIPPET.replace("one-is-one", "it-fails").replace("print(1)", "1 / 0"))
    status, said = literate(repository, "run", "--record", "--device", "cpu")
    assert (status, "1 of 2 snippets fail" in said) == (1, True)
    entries = json.loads((repository / "snippets/record.json").read_text())
    assert [(entry["name"], entry["module"], entry["device"]) for entry in entries] == [
        ("one-is-one", "scratch", "cpu"),
        ("one-is-one", "torch", "cpu"),
    ]
    assert entries[0]["module_py"] == digest((repository / "scratch/module.py").read_bytes())


def test_the_record_of_this_repository_can_be_read():
    assert record.load(ROOT / "snippets" / "record.json") is not None
