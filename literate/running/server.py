"""Keep torch imported, and run each program in a process of its own, forked from here.

    python -u -m literate.running.server torch FD ...                programs run on PyTorch's Module
    python -u -m scratch -m literate.running.server torch FD ...     on ours
    python -u -m literate.running.server --once FILE DEVICE          one program, where there is no fork

Instead of torch, a module that imports it can be named. Each FD is one end of a socket, over which one program at a
time is asked for and answered, a line of JSON each way.

This is a plain fork, not multiprocessing's forkserver, whose children are not programs: they can't be started under
`python -m scratch`, their `__main__` is another module, and they leave without their atexit handlers.
"""

import atexit
import builtins
import contextlib
import ctypes
import faulthandler
import gc
import importlib
import importlib.machinery
import io
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import types
import warnings
import weakref
from pathlib import Path
from typing import BinaryIO, NoReturn

MOST_OUTPUT = 16 * 2**20  # bytes; a program that prints more is taken for one that never stops


def main(arguments: list[str]) -> None:
    """Serve the given sockets, each from a worker of its own, or become one program."""
    if arguments[0] == "--once":
        become(arguments[1], arguments[2])
    sockets = [socket.socket(fileno=int(number)) for number in arguments[1:]]
    importlib.import_module(arguments[0])
    print_at_once()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the runner gets it, and hangs up
    settle()
    for one in sockets:
        if fork() == 0:
            for other in sockets:
                if other is not one:
                    other.close()
            work(one)
            os._exit(0)
    for one in sockets:
        one.close()
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    os._exit(0)


def settle() -> None:
    """Spare programs what an end costs for what only the import of torch has made: 60 ms each of 75."""
    gc.collect()
    gc.freeze()
    for finalizer in list(weakref.finalize._registry):  # type: ignore[attr-defined]
        finalizer.atexit = False


def fork() -> int:
    """Fork, without Python's warning: no thread runs here, though the pools of numerical libraries look like some."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def print_at_once() -> None:
    """Let C and C++ print without a buffer, so that their lines and Python's come out in order, whatever the end."""
    with contextlib.suppress(AttributeError, OSError, ValueError):
        library = ctypes.CDLL(None)
        stdout = ctypes.c_void_p.in_dll(library, "__stdoutp" if sys.platform == "darwin" else "stdout")
        library.setvbuf(stdout, None, 2, 0)  # _IONBF


# The worker


def work(channel: socket.socket) -> None:
    """Run the programs that the runner asks for, one at a time, until it hangs up."""
    import torch

    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: whoever a program leaves behind comes to us
    scratch = sys.modules.get("scratch")
    hello = {"torch": torch.__version__, "scratch": scratch is not None and scratch.installed()}
    channel.sendall(json.dumps(hello).encode() + b"\n")
    for line in channel.makefile("rb"):
        answer = run(json.loads(line), channel)
        channel.sendall(json.dumps(answer).encode() + b"\n")


def run(request: dict, channel: socket.socket) -> dict:
    """Run one program, and return what ended it, its exit status and what it printed."""
    folder = tempfile.mkdtemp(prefix="snippet-")
    began = time.monotonic()
    try:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            pid = fork()
            if pid == 0:
                try:
                    channel.close()
                    move_in(folder, out, err)
                    become(request["path"], request["device"])
                finally:
                    os._exit(70)
            ended, status = wait(pid, channel, began + request["timeout"], (out, err))
            end_family(pid)
            printed = [read(file) for file in (out, err)]
        seconds = time.monotonic() - began
        return {"ended": ended, "status": status, "seconds": seconds, "stdout": printed[0], "stderr": printed[1]}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def wait(pid: int, channel: socket.socket, deadline: float, files: tuple[BinaryIO, ...]) -> tuple[str, int]:
    """Wait for a program; return what ended it ("exit", "time" or "output") and its status, negative for a signal."""
    pause = 0.001
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return "exit", os.waitstatus_to_exitcode(status)
        if select.select([channel], [], [], pause)[0]:  # nothing is asked meanwhile: the runner has hung up
            end_family(pid)
            sys.exit()
        if any(os.fstat(file.fileno()).st_size > MOST_OUTPUT for file in files):
            return "output", -signal.SIGKILL
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGUSR1)  # faulthandler says where it hangs
            time.sleep(0.2)
            return "time", -signal.SIGKILL
        pause = min(pause * 1.5, 0.02)


def end_family(pid: int) -> None:
    """End a program and all that it started, and wait until they are gone."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(pid, signal.SIGKILL)
    patience = time.monotonic() + 5
    while time.monotonic() < patience:
        try:
            done, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not done:
            # Whoever left the group has been given to us, where the system does that (see `work`).
            with contextlib.suppress(OSError):
                for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
                    os.kill(int(child), signal.SIGKILL)
            time.sleep(0.001)


def read(file: BinaryIO) -> str:
    """Return what was printed; a byte that isn't UTF-8 becomes a lone surrogate."""
    file.seek(0)
    return file.read(MOST_OUTPUT).decode("utf-8", "surrogateescape")


# The program


def move_in(folder: str, out: BinaryIO, err: BinaryIO) -> None:
    """Make this process a fresh one: a group, a working folder, a folder for temporary files and streams of its own."""
    os.setsid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG: don't outlive the worker
    for name in ("work", "temporary"):
        os.mkdir(os.path.join(folder, name))
    os.chdir(os.path.join(folder, "work"))
    os.environ["TMPDIR"] = os.path.join(folder, "temporary")
    os.environ.pop("PWD", None)
    tempfile.tempdir = None
    for stream, number in ((out, 1), (err, 2)):
        os.dup2(stream.fileno(), number)
        stream.close()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    faulthandler.enable(2)
    faulthandler.register(signal.SIGUSR1, 2)


def become(path: str, device: str) -> NoReturn:
    """Run a file as `python FILE` does, on a default device, and end as the interpreter ends."""
    if device != "cpu":
        import torch

        torch.set_default_device(device)
    sys.argv = [path]
    sys.path[0] = os.path.dirname(path)
    module = types.ModuleType("__main__")
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    module.__dict__.update(__file__=path, __cached__=None, __loader__=loader, __builtins__=builtins)
    sys.modules["__main__"] = module
    status = 0
    try:
        with io.open_code(path) as file:
            source = file.read()
        exec(compile(source, path, "exec", dont_inherit=True), module.__dict__)
    except SystemExit as error:
        status = exit_status(error.code)
    except BaseException as error:
        status = 130 if isinstance(error, KeyboardInterrupt) else 1
        trace = error.__traceback__ and error.__traceback__.tb_next  # without the frame of this function
        sys.excepthook(type(error), error.with_traceback(trace), trace)
    del module
    finish(status)


def exit_status(code: object) -> int:
    """Return the status that sys.exit gives for an argument."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def finish(status: int) -> NoReturn:
    """End as the interpreter does: wait for threads, call the atexit handlers, drop the program's objects, flush.

    A real end of the interpreter also takes torch to pieces, for nothing: that costs twenty times as much.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.modules.pop("__main__", None)
    gc.collect()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except Exception:
            status = 120  # as Python says that what was printed may be lost
    os._exit(status)


if __name__ == "__main__":
    main(sys.argv[1:])
