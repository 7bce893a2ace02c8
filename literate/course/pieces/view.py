"""Show a recorded piece on a page: as tables, which are printed, and as what the page's script chooses from.

Every state that a reader can choose was recorded (catalogue.py). Its rows are made into HTML here, each different row
once; the script (overrides/assets/pieces.js) looks up which rows belong to the switches as they are.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from literate.course.pieces.catalogue import PIECES, STATEMENTS, SWITCHES
from literate.course.pieces.words import WORDS


class View:
    """The HTML of a piece: its switches, its states, and the tables without a script."""

    def __init__(self, name: str, language: str, data: dict[str, Any]) -> None:
        self.name, self.states = name, data["states"]
        self.torch = data["torch"]
        self.words = WORDS[language]["all"] | WORDS[language][name]

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


class Registration(View):
    """A stepper: the lines of __init__ are radio buttons, so that the arrow keys step."""

    def switches(self) -> str:
        lines = [self.radio("step", str(number), colour(line), number == 1) for number, line in enumerate(STATEMENTS)]
        buttons = "".join(
            f'<button type="button" data-step="{by}">{self.say(word)}</button>'
            for by, word in ((-1, "previous"), (1, "next"))
        )
        return self.form(self.group(self.say("switches"), *lines), f'<p class="piece-steps">{buttons}</p>')

    def rows(self, key: str) -> list[str]:
        before = self.before(key)
        return [row(self.say(where), self.names(names, before[where])) for where, names in self.states[key]["rows"]]

    def before(self, key: str) -> dict[str, list[str]]:
        """Return the rows of the step before; the first has nothing before it."""
        return dict(self.states[str(max(0, int(key) - 1))]["rows"])

    def names(self, names: Sequence[str], before: Sequence[str]) -> str:
        """Return names as HTML, with a mark on what is new or gone since the step before."""
        shown = [marked(name, "" if name in before else "ins", self.say("new")) for name in names]
        shown += [marked(name, "del", self.say("gone")) for name in before if name not in names]
        return " ".join(shown) or self.say("nothing")

    def note(self, key: str) -> str:
        return f"<p>{colour(STATEMENTS[int(key)], 'code')}</p><p>{self.filed(key)}</p>"

    def filed(self, key: str) -> str:
        place = self.states[key]["filed"]
        return self.say(
            "empty" if not place else "not filed" if place.endswith("__dict__") else "filed", place=str(place)
        )

    def printed(self) -> Iterable[str]:
        rows = []
        for key in self.states:
            now, before = dict(self.states[key]["rows"]), self.before(key)

            def changes(what: str, now: Any = now, before: Any = before) -> str:
                gained = [marked(name, "ins", "+", True) for name in now[what] if name not in before[what]]
                lost = [marked(name, "del", "\u2212", True) for name in before[what] if name not in now[what]]
                return " ".join(gained + lost)

            cells = [self.filed(key), changes("state_dict"), changes("parameters")]
            moves = [(self.say(word), changes(what)) for word, what in (("moves", "to"), ("leaves", "stays"))]
            cells.append("<br>".join(f"{word} {names}" for word, names in moves if names))
            rows.append(row(colour(STATEMENTS[int(key)], "code"), *(cell or self.say("nothing") for cell in cells)))
        yield table(self.say("printed"), self.say("printed head"), rows)


class Hooks(View):
    """A timeline of calls; each hook has a switch."""

    on = ("1", "1", "0", "0", "1", "1", "0", "0")

    def switches(self) -> str:
        labels = ["forward hook" if name == "forward" else name for name in SWITCHES]
        boxes = [self.checkbox(label, on == "1") for label, on in zip(labels, self.on, strict=True)]
        return self.form(self.group(self.say("switches"), *boxes))

    def rows(self, key: str) -> list[str]:
        rows = []
        for who, given in self.states[key]["rows"]:
            word = f"row {who}" if f"row {who}" in self.words else who
            kind = "hook" if word != who or who.startswith("global") else "event"
            rows.append(row(self.say(word), f"<code>{html.escape(given)}</code>" if given else "", kind=kind))
        return rows

    def note(self, key: str) -> str:
        end, given = self.states[key]["end"]
        code = f" <code>{html.escape(given)}</code>" if given else ""
        ran = self.say("said", count=str(self.states[key]["hooks"]))
        return f"<p>{ran}{self.say(end)}{code}{self.say('end')}</p>"

    def printed(self) -> Iterable[str]:
        for title, key in (("printed", "1-1-1-1-1-1-1-0"), ("printed raises", "1-1-1-1-1-1-1-1")):
            yield table(self.say(title), self.say("head"), self.rows(key))


class Loading(View):
    """Two trees of keys, side by side, and what a load makes of them."""

    def switches(self) -> str:
        models = PIECES["loading"][1][0]
        radios = [self.radio("model", name, self.say(name), name == "renamed") for name in models]
        boxes = [self.checkbox("strict", True), self.checkbox("assign", False)]
        return self.form(self.group(self.say("model"), *radios), self.group(self.say("switches"), *boxes))

    def rows(self, key: str) -> list[str]:
        rows, last = [], ""
        for name, ours, theirs, verdict, *after in self.states[key]["rows"]:
            module, _, leaf = name.rpartition(".")
            if module != last:
                rows.append(
                    f'<tr class="piece-branch"><th scope="rowgroup" colspan="5"><code>{module}</code></th></tr> '
                )
            last = module
            shapes = [f"<code>{shape}</code>" if shape else self.say("nothing") for shape in (ours, theirs)]
            verdict_html = f'<span class="piece-{verdict}">{self.say(verdict)}</span>'
            name_html = f'<code><span class="piece-stem">{module}.</span>{leaf}</code>'
            rows.append(row(name_html, *shapes, verdict_html, self.afterwards(after), kind="leaf"))
        return rows

    def afterwards(self, after: Sequence[str]) -> str:
        if not after:
            return self.say("nothing")
        values, dtype, kept = after
        return self.say(
            "afterwards", values=self.words[values], dtype=f"`{dtype}`", object=self.words[f"object {kept}"]
        )

    def note(self, key: str) -> str:
        return f"<pre>{html.escape(self.states[key]['said'])}</pre>"

    def printed(self) -> Iterable[str]:
        for key in ("same-1-1", "renamed-0-0", "renamed-1-0", "classes-0-0"):
            model, strict, assign = key.split("-")
            flags = {"strict": str(strict == "1"), "assign": str(assign == "1")}
            title = self.say("printed", model=self.words[model], **flags)
            yield table(title, self.say("head"), self.rows(key)) + self.note(key)


VIEWS: dict[str, type[View]] = {"registration": Registration, "hooks": Hooks, "loading": Loading}


def piece(name: str, language: str, data: dict[str, Any]) -> str:
    """Return a recorded piece as HTML."""
    return VIEWS[name](name, language, data).whole()


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
