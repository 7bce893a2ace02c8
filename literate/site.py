"""Build the site, strictly: `python -m literate site`. English lies at its root, Chinese in the folder zh.

`mkdocs build` builds one language. Here both are built by one process, so that a lab is run once: the code of its
translation is the same, and so is what comes of it.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from literate import labs
from literate.pages import LANGUAGES

ENGLISH = LANGUAGES[0]


def settings_file(language: str) -> str:
    """Return the name of the settings of a language's site."""
    return "mkdocs.yml" if language == ENGLISH else f"mkdocs.{language}.yml"


def languages(root: Path) -> list[str]:
    """Return the languages that the site has."""
    return [language for language in LANGUAGES if (root / settings_file(language)).is_file()]


def part(language: str) -> str:
    """Return where a language's site lies within the whole, as an end of its address or folder."""
    return "" if language == ENGLISH else f"{language}/"


def settings(root: Path, language: str, folder: str, address: str | None) -> dict[str, Any]:
    """Return what MkDocs is told of one language besides its settings, for `mkdocs.config.load_config`."""
    own = {"config_file": str(root / settings_file(language)), "site_dir": str(Path(folder, part(language)))}
    return own | ({"site_url": f"{address.rstrip('/')}/{part(language)}"} if address else {})


def build(root: Path, folder: str, strict: bool = True) -> None:
    """Build all languages with MkDocs.

    Raises:
        Exception: whatever MkDocs, or a cell of a lab, raises.
    """
    from mkdocs.commands.build import build as build_one
    from mkdocs.config import load_config

    address = os.environ.get("SITE_URL")
    configs = [load_config(**settings(root, name, folder, address), strict=strict) for name in languages(root)]
    with labs.run_once():
        for config in configs:  # English first: the root of the site is emptied, and with it what lies in it
            config.plugins.on_startup(command="build", dirty=False)
            try:
                build_one(config)
            finally:
                config.plugins.on_shutdown()


def for_zensical(root: Path, language: str, folder: str) -> str:
    """Return the settings of a language for Zensical, which would add the lists of one file to those of the other.

    They are for a file at the root of the repository.
    """
    from mkdocs.utils.yaml import yaml_load

    with open(root / settings_file(language), encoding="utf-8") as file:
        found = yaml_load(file)
    return json.dumps(found | {"site_dir": Path(folder, part(language)).as_posix()}, ensure_ascii=False)


def main(arguments: Sequence[str]) -> int:
    """Read the command line, build, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m literate site", description=__doc__.partition("\n\n")[0])
    parser.add_argument("--into", default="site", metavar="FOLDER", help="where the site is to lie (site)")
    options = parser.parse_args(arguments)
    log = logging.getLogger("mkdocs")
    logging.getLogger("jieba").addFilter(lambda _: False)  # it would tell how it reads its dictionary
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.WARNING)
    log.propagate = False
    try:
        build(Path.cwd(), options.into)
    except Exception as error:  # a cell of a lab may raise anything
        print(f"The site could not be built ({type(error).__name__}): {error}", file=sys.stderr)
        return 1
    return 0
