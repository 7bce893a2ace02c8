"""Say every word of the site that stands on no page: literate/words/LANGUAGE.toml."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "words"


@cache
def words(language: str) -> dict[str, str]:
    """Return all words of a language by their keys, such as `pictures.registries.title`."""
    found: dict[str, str] = {}

    def collect(table: dict[str, Any], before: str) -> None:
        for key, value in table.items():
            if isinstance(value, dict):
                collect(value, f"{before}{key}.")
            else:
                found[before + key] = value

    collect(tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8")), "")
    return found


def say(language: str, key: str, *places: object, **values: object) -> str:
    """Return words with their gaps filled."""
    return words(language)[key].format(*places, **values)
