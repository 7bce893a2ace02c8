"""Build the site, strictly: `python -m literate site`. English lies at its root, Chinese in the folder zh.

`mkdocs build` builds one language. Here both are built by one process, so that a lab is run once: the code of its
translation is the same, and so is what comes of it. With `--offline` the site is built once more, to be opened from
disk, and packed as one zip.
"""

import argparse
import contextlib
import copy
import json
import logging
import os
import posixpath
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build as build_one
from mkdocs.config import load_config
from mkdocs.utils.yaml import yaml_load

from literate.reading.repository import LABS, languages, part, settings_file
from literate.reading.text import without_comments
from literate.site import share_cards

LINK_TO_FOLDER = re.compile(r'href="(?P<folder>(?:[\w.-]+/)+)(?=["#])')
OFFLINE_WORKER = "assets/iframe-worker.js"  # the plugin takes none from another host where one has this name


def settings(root: Path, language: str, folder: str, address: str | None) -> dict[str, Any]:
    """Return what MkDocs is told of one language besides its settings, for `mkdocs.config.load_config`."""
    own = {"config_file": str(root / settings_file(language)), "site_dir": str(Path(folder, part(language)))}
    return own | ({"site_url": f"{address.rstrip('/')}/{part(language)}"} if address else {})


def build(root: Path, folder: str, strict: bool = True, offline: str = "") -> None:
    """Build all languages with MkDocs.

    Args:
        offline: the folder for a second site that works from disk, if there is to be one.

    Raises:
        Exception: whatever MkDocs, or a cell of a lab, raises.
    """
    folders = [into for into in (folder, offline) if into]
    sites = [(into, load(root, into, strict, into == offline)) for into in folders]
    with run_once((root / LABS).glob("*.py")):
        for into, configs in sites:
            for config in configs:  # English first: the root of the site is emptied, and with it what lies in it
                config.plugins.on_startup(command="build", dirty=False)
                try:
                    build_one(config)
                    if into == folder:
                        share_cards.draw_all(Path(config.site_dir))
                    else:
                        relink(Path(config.site_dir))
                finally:
                    config.plugins.on_shutdown()


def load(root: Path, folder: str, strict: bool, offline: bool) -> list[Any]:
    """Return the settings of all languages, for a server or for a site that is opened from disk."""
    address = os.environ.get("SITE_URL")
    os.environ["OFFLINE"] = str(offline).lower()  # so mkdocs.yml turns on the theme's plugin
    configs = [load_config(**settings(root, name, folder, address), strict=strict) for name in languages(root)]
    for config in configs:
        config.extra["cards"] = not offline
    for config in configs if offline else ():
        config.theme["features"].remove("navigation.instant")  # it fetches pages, which a browser refuses from disk
        config.extra["polyfills"] = [OFFLINE_WORKER]  # in the place of iframe-worker from another host
    return configs


def for_zensical(root: Path, language: str, folder: str) -> str:
    """Return the settings of a language for Zensical, which would add the lists of one file to those of the other.

    They are for a file at the root of the repository.
    """
    with open(root / settings_file(language), encoding="utf-8") as file:
        found = yaml_load(file)
    return json.dumps(found | {"site_dir": Path(folder, part(language)).as_posix()}, ensure_ascii=False)


def build_site(options: argparse.Namespace, root: Path) -> int:
    """Build as the command line asks, and return the exit status."""
    log = logging.getLogger("mkdocs")
    logging.getLogger("jieba").addFilter(lambda _: False)  # it would tell how it reads its dictionary
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.WARNING)
    log.propagate = False
    os.chdir(root)  # MkDocs hands the extension a root that is relative
    try:
        build(root, options.into, offline=options.offline)
    except Exception as error:  # a cell of a lab may raise anything
        print(f"The site could not be built ({type(error).__name__}): {error}", file=sys.stderr)
        return 1
    if options.offline:
        print(pack(Path(options.offline)))
    return 0


def relink(folder: Path) -> None:
    """Let links to the folder of a page, as pictures and labs have them for a server, lead to the file that it is."""
    pages = {path: path.relative_to(folder).as_posix() for path in folder.rglob("*.html")}
    served = {
        name: posixpath.join(name.removesuffix("index.html").removesuffix(".html"), "") for name in pages.values()
    }
    files = {address: name for name, address in served.items()}
    for path, name in pages.items():

        def lead(found: re.Match[str], name: str = name) -> str:
            target = posixpath.normpath(posixpath.join(served[name], found["folder"])) + "/"
            file = files.get("" if target == "./" else target)
            return f'href="{posixpath.relpath(file, posixpath.dirname(name) or ".")}' if file else found[0]

        text = path.read_text(encoding="utf-8")
        if (new := LINK_TO_FOLDER.sub(lead, text)) != text:
            path.write_text(new, encoding="utf-8")


def pack(folder: Path) -> Path:
    """Pack a site as one zip beside its folder, and return where that is."""
    return Path(shutil.make_archive(str(folder), "zip", root_dir=folder.parent, base_dir=folder.name))


@contextlib.contextmanager
def run_once(ahead: Iterable[Path] = ()) -> Iterator[None]:
    """Within it, MkDocs runs labs of the same code, comments aside, once: a translation takes the first outputs.

    Args:
        ahead: labs that are begun at once, all at the same time, while MkDocs builds other pages.
    """
    if "nbconvert" not in sys.modules:  # no settings that are loaded have the plugin for labs
        yield
        return
    import jupytext
    from nbconvert.preprocessors import ExecutePreprocessor

    run = ExecutePreprocessor.preprocess
    known: dict[str, Future[Any]] = {}

    def begin(self: Any, notebook: Any, *resources: Any) -> Future[Any]:
        code = str([[line for _, line in without_comments(cell.source)] for cell in code_cells(notebook)])
        if code not in known:
            known[code] = pool.submit(lambda: code_cells(run(self, copy.deepcopy(notebook), *resources)[0]))
        return known[code]

    def preprocess(self: Any, notebook: Any, resources: Any = None, km: Any = None) -> tuple[Any, Any]:
        done = begin(self, notebook, resources, km).result()
        for cell, ran in zip(code_cells(notebook), done, strict=True):
            cell.execution_count, cell.outputs = ran.execution_count, copy.deepcopy(ran.outputs)
        return notebook, resources

    setattr(ExecutePreprocessor, "preprocess", preprocess)  # noqa: B010
    pool = ThreadPoolExecutor()
    try:
        for lab in ahead:
            begin(ExecutePreprocessor(kernel_name="python3", store_widget_state=True), jupytext.read(lab), {})
        yield
    finally:
        pool.shutdown(cancel_futures=True)
        setattr(ExecutePreprocessor, "preprocess", run)  # noqa: B010


def code_cells(notebook: Any) -> list[Any]:
    """Return the cells of a notebook that are run."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]
