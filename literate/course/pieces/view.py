"""Show a recorded piece on a page: as tables, which are printed, and as what the page's script chooses from."""

import html
import json
import re
from collections.abc import Iterable
from typing import Any

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from literate.reading.words import words

Row = list[Any]  # the words of one row; a list among them is a list of names
State = dict[str, Any]  # rows of a table, and what else there is to say


class View:
    """The HTML of a piece: its switches, its states, and the tables without a script."""

    def __init__(self, name: str, language: str, data: dict[str, Any]) -> None:
        self.name, self.states = name, data["states"]
        self.torch = data["torch"]
        of_all, own = (
            {key.removeprefix(start): text for key, text in words(language).items() if key.startswith(start)}
            for start in ("pieces.all.", f"pieces.{name}.")
        )
        self.words = of_all | own

    def say(self, what: str, **values: str) -> str:
        """Return words as HTML."""
        return coded(self.words[what].format(**values))

    def whole(self) -> str:
        """Return the piece; what needs the script is hidden until it runs."""
        rows: dict[str, int] = {}
        known = {}
        for key in self.states:
            numbers = [rows.setdefault(row, len(rows)) for row in self.rows(key)]
            known[key] = [numbers, rows.setdefault(self.note(key), len(rows))]
        # In a template, not in a script: the theme runs the scripts of a page again that it puts into another one.
        data = html.escape(json.dumps({"html": list(rows), "states": known}, ensure_ascii=False), quote=False)
        return (
            f'<literate-piece class="literate-piece piece-{self.name}">'
            f'<p class="piece-title">{self.say("title")}</p>'
            f'<div class="piece-live" data-search-exclude="" hidden>{self.switches()}'
            f'<div class="piece-shown">{table(self.say("title"), self.say("head"), [])}'
            f'<div class="piece-note" role="status"></div></div></div>'
            f'<div class="piece-printed">{"".join(self.printed())}</div>'
            f'<p class="piece-ran">{self.say("ran", torch=self.torch)}</p>'
            f'<template data-search-exclude="">{data}</template></literate-piece>'
        )

    def switches(self) -> str:
        """Return the form; its values, joined, are the key of a state."""
        raise NotImplementedError

    def rows(self, key: str) -> list[str]:
        """Return the rows of a state."""
        raise NotImplementedError

    def note(self, key: str) -> str:
        """Return what is said of a state, and read out when it is chosen."""
        raise NotImplementedError

    def printed(self) -> Iterable[str]:
        """Return the tables that need no script."""
        raise NotImplementedError

    def form(self, *groups: str) -> str:
        return f'<form autocomplete="off">{"".join(groups)}</form>'

    def group(self, legend: str, *inputs: str) -> str:
        return f"<fieldset><legend>{legend}</legend>{''.join(inputs)}</fieldset>"

    def radio(self, group: str, value: str, label: str, chosen: bool) -> str:
        own = f'type="radio" name="piece-{self.name}-{group}" value="{value}"{" checked" * chosen}'
        return f"<label><input {own}><span>{label}</span></label>"

    def checkbox(self, what: str, on: bool) -> str:
        return f'<label><input type="checkbox"{" checked" * on}><span>{self.say(what)}</span></label>'


def coded(words: str) -> str:
    """Return words as HTML, with what stands in backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(words, quote=False))


def colour(code: str, tag: str = "code") -> str:
    """Return a line of Python as HTML, highlighted as the programs are."""
    return f'<{tag} class="highlight">{highlight(code, PythonLexer(), HtmlFormatter(nowrap=True)).strip()}</{tag}>'


def marked(name: str, tag: str, word: str, seen: bool = False) -> str:
    """Return a name, marked as new or gone by more than a colour."""
    code = f"<code>{html.escape(name)}</code>"
    said = word if seen else f'<span class="piece-said">{word} </span>'
    return f"<{tag}>{said}{code}</{tag}>" if tag else code


def row(head: str, *cells: str, kind: str = "") -> str:
    """Return a row of a table, the first cell as its head."""
    own = f' class="piece-{kind}"' if kind else ""
    return f'<tr{own}><th scope="row">{head}</th>{"".join(f" <td>{cell}</td>" for cell in cells)}</tr> '


def table(caption: str, head: str, rows: Iterable[str]) -> str:
    """Return a table; `head` has the columns' names with ` | ` between them."""
    # The spaces keep words apart where the search reads the text without its tags.
    columns = " ".join(
        f'<th scope="col">{name.strip()}</th>' if name.strip() else "<td></td>" for name in head.split("|")
    )
    return (
        f'<div class="piece-table"><table><caption>{caption}</caption> <thead><tr>{columns}</tr></thead> '
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )
