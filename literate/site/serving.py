"""Serve the site while its pages are written: `python -m literate serve`.

Each saved change is on the page in about a second. A changed program is run at once on both Modules, on servers that
have torch imported, and the page shows what it printed, or its error. Nothing is written to the pages: that is
`python -m literate update`.
"""

import argparse
import contextlib
import logging
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.livereload import LiveReloadServer

from literate.course import checks
from literate.reading.files import digest
from literate.reading.pages import PageError, Snippet
from literate.reading.repository import LANGUAGES, MODULE, RECORD, language_of, languages, part, settings_file
from literate.reading.words import say
from literate.running.judge import failure
from literate.running.record import MODULES
from literate.running.run import Result, Run, Runner, ServerError
from literate.showing import card
from literate.site.building import run_once, settings

HOST = "127.0.0.1"
WATCHED = ("docs", *map(settings_file, LANGUAGES), "overrides", "scratch", "snippets")
TIME_LIMIT = 20.0  # seconds: the page waits for its programs
UNBUILT = b"<meta http-equiv=refresh content=2><p>The site could not be built: the terminal says why."


class Programs:
    """Run the programs that are not as recorded, once each, and say what the pages are to show of them.

    Args:
        root: the repository.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.runners: dict[str, Runner] = {}
        self.results: dict[tuple[str, ...], Result] = {}
        self.page_errors: dict[Path, list[PageError]] = {}
        self.module_digest = ""
        self.said: dict[str, str] = {}
        self.missing: dict[str, str] = {}  # why there is no server for a Module
        self.closed = False
        self.lock = threading.Lock()
        # Importing torch takes seconds; it goes on while the site is built for the first time.
        self.starting = threading.Thread(target=self.start, daemon=True)
        self.starting.start()

    def start(self) -> None:
        """Start what is not running yet: a server for each Module."""
        new = []
        with self.lock:
            for module in MODULES:
                if module not in self.runners and not self.closed:
                    self.runners[module] = Runner(self.root, (module,), timeout=TIME_LIMIT, wait=False)
                    new.append(module)
        for module in new:
            try:
                self.runners[module].wait_until_ready()
                self.missing.pop(module, None)
            except ServerError as error:  # it is tried again with the next change
                self.missing[module] = own_frames(str(error), self.root)
                self.runners.pop(module).close()

    def close(self) -> None:
        """End the servers, also while they start."""
        with self.lock:
            self.closed = True
            runners = [*self.runners.values()]
        for runner in runners:
            runner.close()
        self.starting.join()

    def refresh(self) -> list[PageError]:
        """Read the pages, run what has changed, and return what is wrong with the pages."""
        pages = checks.read(self.root)
        self.page_errors = {page.path: page.errors for page in pages if page.errors}
        self.check_module()
        stale = [snippet for page in pages for snippet in page.snippets if not self.recorded(snippet)]
        runs = {self.key(snippet, module): Run(snippet, module, "cpu") for snippet in stale for module in MODULES}
        self.run([run for key, run in runs.items() if key not in self.results])
        if stale and self.missing:
            self.complain()
        else:
            for module in MODULES:
                self.said.pop(module, None)
            for snippet in stale:
                self.tell(snippet)
        return [error for page in pages for error in page.errors]

    def check_module(self) -> None:
        """Start a new server for our Module if its file has changed."""
        now = digest((self.root / MODULE).read_bytes())
        if self.module_digest and now != self.module_digest:
            self.starting.join()
            if "scratch" in self.runners:
                self.runners.pop("scratch").close()
        self.module_digest = now

    def recorded(self, snippet: Snippet) -> bool:
        """Return whether files and record hold this very program and output, so that nothing need be run."""
        file, output = snippet.path(self.root), snippet.path(self.root).with_suffix(".out")
        if not file.is_file() or file.read_text(encoding="utf-8") != snippet.code:
            return False
        if (output.read_text(encoding="utf-8") if output.is_file() else None) != snippet.output:
            return False
        book = self.root / RECORD
        if not book.is_file():
            return False
        known = card.load_record(book, book.stat().st_mtime_ns).entries_for(snippet.digest, self.module_digest)
        return {(entry["module"], entry["device"]) for entry in known} >= {(module, "cpu") for module in MODULES}

    def key(self, snippet: Snippet, module: str) -> tuple[str, ...]:
        return (snippet.digest, module, self.module_digest if module == "scratch" else "")

    def run(self, runs: list[Run]) -> None:
        """Run programs on the servers, both Modules at the same time."""
        if not runs:
            return
        count = len({run.snippet.digest for run in runs})
        if self.starting.is_alive() or count > 9:  # it takes more than a moment
            print(f"Running what is not recorded: {count} of the programs ...", flush=True)
        self.starting.join()
        self.start()

        def work(module: str) -> None:
            for result in self.runners[module].run(run for run in runs if run.module == module):
                self.results[self.key(result.run.snippet, module)] = result

        threads = [threading.Thread(target=work, args=(module,)) for module in MODULES if module in self.runners]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    # What the Markdown extension asks

    def errors(self, page: Path) -> list[PageError]:
        """Return what is wrong with a page, includes as well."""
        return self.page_errors.get(page, [])

    def result(self, snippet: Snippet) -> card.Live | None:
        """Return what the page is to show of a program in place of what is written there."""
        language = language_of(snippet.page)
        if self.missing and not self.recorded(snippet):
            where = f"{snippet.page.as_posix()}:{snippet.line}"
            title = f"{where}: {snippet.name} can't be run on {' and '.join(self.missing)}"
            return card.Live(snippet.output, say(language, "card.not run"), (title, "\n\n".join(self.missing.values())))
        found = [self.results.get(self.key(snippet, module)) for module in MODULES]
        # The same program may have been run when it stood elsewhere; lines of the page count from where it is now.
        results = [replace(result, run=replace(result.run, snippet=snippet)) for result in found if result]
        if self.recorded(snippet) or len(results) < len(MODULES):
            return None
        output = results[0].stdout or None
        failed = failure(results, shown=False)
        if failed:
            title, _, text = failed.text.partition("\n")
            return card.Live(output, say(language, "card.run"), (title, textwrap.dedent(text).strip("\n")))
        return card.Live(output, say(language, "card.run as shown" if output == snippet.output else "card.run anew"))

    def complain(self) -> None:
        """Say in the terminal why no program can be run, once."""
        for module, why in self.missing.items():
            line = f"No program can be run on {module}: {why}"
            if self.said.get(module) != line:
                print(line, flush=True)
            self.said[module] = line

    def tell(self, snippet: Snippet) -> None:
        """Say in the terminal what a run gave, once."""
        live = self.result(snippet)
        if live is None:
            return
        line = ""
        if live.failure:
            line = f"{live.failure[0]}\n{textwrap.indent(live.failure[1], '    ')}"
        elif live.output != snippet.output:
            line = (
                f"{snippet.page.as_posix()}:{snippet.line}: {snippet.name} prints something new: `make update` keeps it"
            )
        name = snippet.path().as_posix()
        if line and self.said.get(name) != line:
            print(line, flush=True)
        self.said[name] = line


def own_frames(text: str, root: Path) -> str:
    """Return a traceback without the frames between those of scratch/ and where the error was raised."""
    first, *frames = re.split(r"^(?=  File )", text, flags=re.MULTILINE)
    own = f'  File "{root / "scratch"}{os.sep}'
    return "".join([first, *(frame for frame in frames[:-1] if frame.startswith(own)), *frames[-1:]])


# ---------------------------------------------------------------------------------------------------------------- site


class SiteBuilder:
    """Build the site again with each change: the changed pages alone where nothing else has changed."""

    def __init__(self, root: Path, folder: str, port: int, programs: Programs) -> None:
        self.root, self.folder, self.port, self.programs = root, folder, port, programs
        self.pages: dict[Path, bytes] = {}
        self.other: dict[Path, int] = {}
        self.configs: dict[str, Any] = {}  # by language

    def build(self) -> None:
        """Bring the built site in line with the files."""
        start = time.monotonic()
        pages, other = self.texts(), self.times()
        changed = [path for path, text in pages.items() if self.pages.get(path) != text]
        alone = bool(self.pages) and pages.keys() == self.pages.keys() and other == self.other
        for error in self.programs.refresh():
            print(error, flush=True)
        self.build_with_mkdocs(changed if alone else None)
        self.pages, self.other = pages, other
        what = ", ".join(self.name(path) for path in changed) if alone else "the site"
        if what:
            print(f"Built {what} in {time.monotonic() - start:.1f} s.", flush=True)

    def name(self, path: Path) -> str:
        """Return how the terminal calls a page."""
        language = language_of(path.relative_to(self.root))
        return f"{part(language)}{path.name}"

    def texts(self) -> dict[Path, bytes]:
        found = [path for name in languages(self.root) for path in (self.root / "docs" / name).rglob("*.md")]
        return {path: path.read_bytes() for path in sorted(found)}

    def times(self) -> dict[Path, int]:
        """Return when each file that pages are made of, other than a page, was last changed."""
        found = {}
        for name in WATCHED:
            path = self.root / name
            for file in [path] if path.is_file() else path.rglob("*"):
                if file.suffix not in (".md", ".pyc") and not file.is_dir():
                    with contextlib.suppress(OSError):
                        found[file] = file.stat().st_mtime_ns
        return found

    def build_with_mkdocs(self, changed: list[Path] | None) -> None:
        """Let MkDocs build these pages, or all."""
        address = f"http://{HOST}:{self.port}/"
        known = languages(self.root)
        if changed is None:
            first = not self.configs
            for language in known:
                config = load_config(**settings(self.root, language, self.folder, address))
                # MkDocs would compile all templates of the theme for each build; while only pages change, once will do.
                setattr(config.theme, "get_env", cache(config.theme.get_env))  # noqa: B010
                if first:
                    config.plugins.on_startup(command="serve", dirty=True)
                self.configs[language] = config
        with run_once():
            for language in known:
                if changed is None or self.touch(language, changed):
                    serve_url = address + part(language)
                    build(self.configs[language], serve_url=serve_url, dirty=changed is not None)

    def touch(self, language: str, changed: list[Path]) -> bool:
        """Let MkDocs see which pages of a language have changed, and return whether any has."""
        folder = self.root / "docs" / language
        own = [path.relative_to(folder) for path in changed if path.is_relative_to(folder)]
        for path in own:
            # MkDocs builds pages that are newer than what was built of them. This one is, whatever the clock says.
            place = path.with_suffix("") if path.name != "index.md" else path.parent
            with contextlib.suppress(FileNotFoundError):
                os.utime(Path(self.folder, part(language), place, "index.html"), (0, 0))
        return bool(own)


class Terminal(logging.Handler):
    """Show MkDocs' warnings in one line each."""

    def emit(self, log: logging.LogRecord) -> None:
        text = log.getMessage()
        if "'dirty' build" not in text:
            print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def live(programs: Programs) -> Iterator[None]:
    """Let the Markdown extension show what has been run now."""
    card.live = programs
    try:
        yield
    finally:
        card.live = None


def error_page(code: int, not_found: Path) -> bytes | None:
    """Return what to show where there is no page; nothing is built before the first build has gone well."""
    if code != 404:
        return None
    return not_found.read_bytes() if not_found.is_file() else UNBUILT


def port_is_taken(port: int) -> bool:
    with socket.socket() as probe:
        if sys.platform != "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return True
    return False


def serve(root: Path, port: int) -> int:
    """Build and serve the site until Ctrl-C, and return the exit status."""
    if port_is_taken(port):
        print(f"Port {port} of {HOST} is in use. Take another: make serve PORT={port + 1}", file=sys.stderr)
        return 1
    log = logging.getLogger("mkdocs")
    log.addHandler(Terminal(logging.WARNING))
    log.propagate = False
    logging.getLogger("jieba").addFilter(lambda _: False)
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell starts what is in the background with SIGINT ignored
        signal.signal(number, signal.default_int_handler)
    os.environ.setdefault("LABS_CACHE", "true")  # a lab is run again when it has changed, and not with each build
    folder = tempfile.mkdtemp(prefix="site-")
    programs = Programs(root)
    builder = SiteBuilder(root, folder, port, programs)

    def bring_up_to_date() -> None:
        try:
            builder.build()
        except Exception as error:  # a cell of a lab may raise anything
            print(f"The site could not be built ({type(error).__name__}): {error}", file=sys.stderr, flush=True)

    server = LiveReloadServer(bring_up_to_date, HOST, port, folder, polling_interval=0.2)
    server.build_delay = 0.05
    server.error_handler = lambda code: error_page(code, Path(folder, "404.html"))
    try:
        with live(programs):
            print("Building the site ...", flush=True)
            bring_up_to_date()
            for name in WATCHED:
                if (root / name).exists():
                    server.watch(str(root / name))
            print(f"Serving on http://{HOST}:{port}/ (Ctrl-C ends it)", flush=True)
            server.serve()
    except KeyboardInterrupt:
        print("\nStopped.")
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if server.serve_thread.is_alive():
            server.shutdown(wait=True)
        programs.close()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def serve_site(options: argparse.Namespace, root: Path) -> int:
    """Serve as the command line asks, and return the exit status."""
    os.chdir(root)  # MkDocs hands the extension a root that is relative
    return serve(root, options.port)
