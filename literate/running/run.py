"""Run snippets on both Modules: a queue for each, and warm servers (literate/running/server.py) that empty it."""

import contextlib
import importlib.metadata
import json
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from literate.reading.pages import Snippet
from literate.reading.repository import UsageError
from literate.running.server import MOST_OUTPUT

PREFIX = {"torch": [], "scratch": ["-m", "scratch"]}  # of a command that runs on the Module
PACKAGES = Path(__file__).resolve().parents[2]  # where literate and scratch are imported from
SERVER = ["-m", "literate.running.server"]
FORKS = hasattr(os, "fork")
# Where programs, libraries, weights and devices are found, and how many threads there are: no word on how to print.
HANDED_ON = re.compile(
    r"PATH|HOME|USER|LOGNAME|USERPROFILE|HOMEDRIVE|HOMEPATH|(LOCAL)?APPDATA|PROGRAM.*|SYSTEM(ROOT|DRIVE)|WINDIR|COMSPEC|"
    r"PATHEXT|TMP|PROCESSOR_.*|NUMBER_OF_PROCESSORS|VIRTUAL_ENV|(DY)?LD_.*|CUDA.*|NVIDIA.*|HIP.*|ROCR?_.*|"
    r"(OMP|MKL|OPENBLAS)_.*|HF_.*|XDG_.*|PYTHON(PATH|HOME|DONTWRITEBYTECODE|PYCACHEPREFIX|DEVMODE)|SCRATCH_.*"
)
PATIENCE = 120  # seconds for a server to import torch
ASK_CUDA = "import torch\nprint(torch.cuda.get_device_name() if torch.cuda.is_available() else '', end='')\n"


class ServerError(UsageError):
    """Say why a program could not be run."""


@dataclass(frozen=True)
class Run:
    """Hold one cell of the matrix: a program, on one Module and one device."""

    snippet: Snippet
    module: str
    device: str


@dataclass(frozen=True)
class Result:
    """Hold how a run went."""

    run: Run
    path: Path  # of the file that was run
    ended: str  # by what: "exit", "time", "output" (too much of it) or "lost" (its server died)
    status: int
    stdout: str
    stderr: str
    seconds: float
    torch: str

    @property
    def trouble(self) -> str | None:
        """Return what is wrong with the program itself, or None."""
        if self.ended == "time":
            return f"hangs: ended after its time limit of {self.seconds:.0f} s"
        if self.ended == "output":
            return f"prints without end: ended after {MOST_OUTPUT >> 20} MiB"
        if self.ended == "lost":
            return "could not be run"
        if self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}"
        return f"exit status {self.status}" if self.status else None


def environment(folder: str) -> dict[str, str]:
    """Return the environment of programs: of the caller's only what says where things are, not how to print."""
    own = {key: value for key, value in os.environ.items() if HANDED_ON.fullmatch(key.upper())}
    own |= {"TMPDIR": folder, "TEMP": folder, "PYTHONUTF8": "1", "PYTHON_COLORS": "0"}
    # macOS would end a forked process that touches what was in use before the fork; nothing was.
    return own | {"OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES"}


class Server:
    """Start a server on one of the Modules; each of its channels runs one program at a time."""

    def __init__(self, module: str, channels: int, folder: str, imports: str) -> None:
        self.module = module
        self.errors = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed with the server
        pairs = [socket.socketpair() for _ in range(channels)]
        theirs = [pair[1].fileno() for pair in pairs]
        self.process = subprocess.Popen(
            [sys.executable, "-u", *PREFIX[module], *SERVER, imports, *map(str, theirs)],
            cwd=PACKAGES,
            env=environment(folder),
            pass_fds=theirs,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
            start_new_session=True,  # Ctrl-C reaches the runner alone, and the runner hangs up
        )
        for pair in pairs:
            pair[1].close()
        self.channels = [Channel(self, pair[0]) for pair in pairs]
        self.ready = False  # torch is imported, and programs may be running

    def last_words(self) -> str:
        """Return what the server wrote to stderr."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        try:
            self.errors.seek(0)
            return self.errors.read().decode(errors="replace").strip()
        except ValueError:  # closed meanwhile
            return ""

    def close(self) -> None:
        """Hang up; the workers end their programs and leave, and the server after them."""
        for channel in self.channels:
            with contextlib.suppress(OSError):
                channel.socket.shutdown(socket.SHUT_RDWR)
        if not self.ready:  # it would hear of it only when torch is imported
            self.process.kill()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for channel in self.channels:
            channel.lines.close()
            channel.socket.close()
        self.errors.close()


class Channel:
    """Talk to one worker of a server."""

    def __init__(self, server: Server, own: socket.socket) -> None:
        self.server, self.socket = server, own
        self.lines = own.makefile("rb")

    def hello(self) -> str:
        """Wait until torch is imported, on the right Module, and return its version."""
        hello = self.receive(PATIENCE)
        if hello["scratch"] != (self.server.module != "torch"):
            raise ServerError(f"the server for {self.server.module} runs on the other Module")
        self.server.ready = True
        return hello["torch"]

    def run(self, path: Path, device: str, timeout: float) -> dict[str, Any]:
        """Run a program."""
        request = {"path": str(path), "device": device, "timeout": timeout}
        with contextlib.suppress(BrokenPipeError):
            self.socket.sendall(json.dumps(request).encode() + b"\n")
        return self.receive(timeout + 30)

    def receive(self, timeout: float) -> dict[str, Any]:
        self.socket.settimeout(timeout)
        try:
            if line := self.lines.readline():
                return json.loads(line)
            why = "died"
        except TimeoutError:
            why = f"did not answer for {timeout:.0f} s"
        except OSError as error:
            why = str(error)
        raise ServerError(f"the server for {self.server.module} {why}\n{self.server.last_words()}".strip())


class Interpreter:
    """Run each program in an interpreter of its own, where there is no fork."""

    def __init__(self, module: str, folder: str) -> None:
        self.module, self.folder = module, folder

    def hello(self) -> str:
        """Return torch's version."""
        return importlib.metadata.version("torch")

    def run(self, path: Path, device: str, timeout: float) -> dict[str, Any]:
        """Run a program."""
        folder = tempfile.mkdtemp(dir=self.folder)
        for name in ("work", "temporary"):
            Path(folder, name).mkdir()
        command = [sys.executable, "-u", *PREFIX[self.module], *SERVER, "--once", str(path), device]
        own = environment(os.path.join(folder, "temporary"))
        own["PYTHONPATH"] = os.pathsep.join([str(PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])])
        began = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(
                command,
                cwd=os.path.join(folder, "work"),
                env=own,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            ended = "exit"
            while process.poll() is None and ended == "exit":
                time.sleep(0.02)
                if any(os.fstat(file.fileno()).st_size > MOST_OUTPUT for file in (out, err)):
                    ended = "output"
                elif time.monotonic() > began + timeout:
                    ended = "time"
            end_tree(process.pid)
            status = process.wait()
            printed = []
            for file in (out, err):
                file.seek(0)
                printed.append(file.read(MOST_OUTPUT).decode("utf-8", "surrogateescape").replace("\r\n", "\n"))
        shutil.rmtree(folder, ignore_errors=True)
        seconds = time.monotonic() - began
        return {"ended": ended, "status": status, "seconds": seconds, "stdout": printed[0], "stderr": printed[1]}


def end_tree(pid: int) -> None:
    """End a process and those that it started."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], capture_output=True, check=False)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


class Runner:
    """Keep servers warm on the Modules asked for, and run programs on them.

    Args:
        root: the repository, whose extracted files are run.
        modules: "torch", "scratch" or both.
        jobs: how many programs run at a time; one a core unless given.
        timeout: the seconds after which a program is ended.
        many: many programs are to be run, so that it pays to import in advance what the first optimizer of a program
            imports, for two seconds.
        fork: whether programs are forked from warm servers; where there is no fork, each is an interpreter of its own.
        wait: whether to wait until the servers have imported torch; otherwise `wait_until_ready` is to be called.

    Raises:
        ServerError: if a server can't start.
    """

    def __init__(
        self,
        root: Path,
        modules: Sequence[str] = ("torch", "scratch"),
        jobs: int | None = None,
        timeout: float = 60,
        many: bool = True,
        fork: bool = FORKS,
        wait: bool = True,
    ) -> None:
        self.root, self.modules, self.timeout, self.fork = root.resolve(), tuple(modules), timeout, fork
        self.imports = "torch._dynamo" if many else "torch"
        self.jobs = jobs or cores()
        self.slots = threading.Semaphore(self.jobs)
        self.closed = False
        self.folder = tempfile.TemporaryDirectory(prefix="literate-", ignore_cleanup_errors=True)
        self.servers: list[Server] = []
        self.places: dict[str, list[Channel | Interpreter | None]] = {}
        self.torch: dict[str, str] = {}
        try:
            for module in self.modules:
                self.places[module] = [*self._start(module, self.jobs)]
            if wait:
                self.wait_until_ready()
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise ServerError(f"no server can be started: {error}") from error
            raise

    def wait_until_ready(self) -> None:
        """Wait until every server has imported torch.

        Raises:
            ServerError: if one can't, or the runner is closed meanwhile.
        """
        for module in self.modules:
            for place in self.places[module]:
                if place is not None:
                    self.torch[module] = place.hello()

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up, and remove what was written."""
        self.closed = True
        for server in self.servers:
            server.close()
        self.folder.cleanup()

    def run(self, runs: Iterable[Run]) -> Iterator[Result]:
        """Run programs, and give each result as it comes."""
        done: queue.SimpleQueue[Result] = queue.SimpleQueue()
        waiting: dict[str, queue.SimpleQueue[Run]] = {module: queue.SimpleQueue() for module in self.modules}
        count = 0
        for run in runs:
            waiting[run.module].put(run)
            count += 1
        for module in self.modules:
            for number in range(len(self.places[module])):
                threading.Thread(target=self._work, args=(module, number, waiting[module], done), daemon=True).start()
        for _ in range(count):
            yield done.get()

    def cuda(self) -> str:
        """Return the name of the CUDA device, or nothing where there is none.

        A program asks: a server that had asked could not fork programs that use CUDA.
        """
        program = Path(self.folder.name, "ask_cuda.py")
        program.write_text(ASK_CUDA, encoding="utf-8")
        place = self.places[self.modules[0]][0]
        assert place is not None
        return place.run(program, "cpu", PATIENCE)["stdout"]

    def _start(self, module: str, count: int) -> Sequence[Channel | Interpreter]:
        if not self.fork:
            return [Interpreter(module, self.folder.name) for _ in range(count)]
        self.servers.append(Server(module, count, self.folder.name, self.imports))
        return self.servers[-1].channels

    def _work(
        self, module: str, number: int, waiting: "queue.SimpleQueue[Run]", done: "queue.SimpleQueue[Result]"
    ) -> None:
        """Take runs from the queue until it is empty; start a new server where one dies."""
        while not self.closed:
            with contextlib.suppress(queue.Empty), self.slots:
                run = waiting.get_nowait()
                path = self._file(run.snippet)
                try:
                    place = self.places[module][number]
                    if place is None:
                        (place,) = self._start(module, 1)
                        place.hello()
                        self.places[module][number] = place
                    answer = place.run(path, run.device, self.timeout)
                except (ServerError, OSError, ValueError) as error:
                    if self.closed:  # it is this that broke the connection
                        return
                    self.places[module][number] = None
                    answer = {"ended": "lost", "status": 0, "stdout": "", "stderr": str(error), "seconds": 0.0}
                done.put(Result(run, path, torch=self.torch[module], **answer))
                continue
            return

    def _file(self, snippet: Snippet) -> Path:
        """Return the extracted file, or where the page has changed since, a copy of what would be extracted."""
        path, code = snippet.path(self.root), snippet.code.encode()
        if not path.is_file() or path.read_bytes() != code:
            path = snippet.path(Path(self.folder.name, snippet.digest))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(code)
        return path


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
