"""Run a program on our nn.Module, the way `python` would run it."""

import io
import os
import pkgutil
import runpy
import sys
import types
from importlib.machinery import BuiltinImporter, SourceFileLoader, SourcelessFileLoader

if not __package__:  # started as `python path/to/scratch`: Python then looks for modules inside that folder
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

import scratch

USAGE = """\
usage: python -m scratch [--module FILE] [FILE | -m MODULE | -c CODE | -] [ARGUMENT ...]

Run a PyTorch program with our nn.Module in the place of PyTorch's. Everything else is as with `python` itself.

  FILE        run this file (or a folder or zip file with a __main__.py)
  -m MODULE   run this module, as `python -m` does
  -c CODE     run this code
  -           run what standard input holds
  --module FILE  let the Module of this file stand in, not that of scratch/module.py
  -h, --help  show this text
  (nothing)   say which torch our Module stands in for
"""


def main() -> None:
    """Read the command line, put our Module in its place, and run the program."""
    arguments, file = sys.argv[1:], None
    if arguments[:1] == ["--module"]:
        if len(arguments) == 1:
            refuse("argument expected for the --module option")
        file, arguments = arguments[1], arguments[2:]
    first = arguments[0] if arguments else None
    if first in ("-h", "--help"):
        print(USAGE, end="")
        return
    if first is not None and first.startswith("-") and first not in ("-", "-m", "-c"):
        refuse(f"unknown option {first}; options of Python itself go before it: python {first} -m scratch …")
    if first in ("-m", "-c") and len(arguments) == 1:
        refuse(f"argument expected for the {first} option")
    try:
        scratch.install(file)
    except (RuntimeError, FileNotFoundError) as error:
        sys.exit(f"python -m scratch: {error}")
    if first is None:
        report()
        return
    sys.argv = [first, *arguments[2:]] if first in ("-m", "-c") else arguments
    try:
        if first == "-m":
            run_module(arguments[1])
        elif first == "-c":
            run_code(arguments[1], "<string>")
        elif first == "-":
            run_code(sys.stdin.buffer.read(), "<stdin>", __file__="<stdin>", __cached__=None)
        else:
            run_file(first)
    except BaseException:
        hide_our_frames()
        raise


def refuse(complaint: str) -> None:
    """Say what is wrong with the command line, and how it is used."""
    sys.stderr.write(f"python -m scratch: {complaint}\n{USAGE}")
    sys.exit(2)


def report() -> None:
    """Say which torch our Module stands in for, having looked."""
    import torch

    source = torch.nn.Module.__init__.__code__.co_filename
    layers = [
        layer for layer in vars(torch.nn).values() if isinstance(layer, type) and torch.nn.Module in layer.__mro__
    ]
    if not scratch.installed():
        sys.exit(f"python -m scratch: torch.nn.Module of torch {torch.__version__} is not ours, but {source}")
    print(f"scratch stands in for torch.nn.Module of torch {torch.__version__}")
    print(f"{len(layers)} classes of torch.nn are built on {source}")
    print()
    print(USAGE, end="")


def run_file(path: str) -> None:
    """Run a file, or a folder or zip file that holds a __main__.py, as `python FILE` does."""
    # As Python does it: `./program.py` keeps its dot.
    absolute = os.getcwd() if path in ("", ".") else os.path.join(os.getcwd(), path)
    if pkgutil.get_importer(path) is not None:
        put_first_on_path(absolute)
        run_module("__main__", alter_argv=False)
        return
    put_first_on_path(os.path.dirname(os.path.realpath(path)))
    try:
        with io.open_code(absolute) as file:
            source = file.read()
    except OSError as error:
        sys.stderr.write(f"python -m scratch: can't open file {absolute!r}: [Errno {error.errno}] {error.strerror}\n")
        sys.exit(2)
    loader: SourcelessFileLoader | SourceFileLoader
    if path.endswith(".pyc"):
        loader = SourcelessFileLoader("__main__", absolute)
        try:
            code = loader.get_code("__main__")
        except ImportError as error:
            sys.exit(f"python -m scratch: can't run {absolute!r}: {error}")
    else:
        loader = SourceFileLoader("__main__", absolute)
        code = compile_file(source, absolute)
    assert code is not None  # get_code gives None for a namespace package alone
    exec(code, new_main(__file__=absolute, __cached__=None, __loader__=loader))


def compile_file(source: bytes, path: str) -> types.CodeType:
    """Compile a file's content; where Python's error would name no place, name it."""
    try:
        return compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        if error.filename is None and b"\0" in source:
            error.filename, error.lineno = path, source[: source.index(b"\0")].count(b"\n") + 1
        raise


def run_code(source: str | bytes, name: str, **fields: object) -> None:
    """Run code that has no file, as `python -c CODE` and `python -` do."""
    put_first_on_path("")
    exec(compile(source, name, "exec", dont_inherit=True), new_main(__loader__=BuiltinImporter, **fields))


def run_module(name: str, alter_argv: bool = True) -> None:
    """Run a module by name, as `python -m NAME` does, with the very function that `python -m` calls."""
    new_main()
    runpy._run_module_as_main(name, alter_argv)  # type: ignore[attr-defined]


def new_main(**fields: object) -> dict:
    """Make a new, empty __main__, so that the program does not find our names in it."""
    module = types.ModuleType("__main__")
    module.__dict__.update(fields, __builtins__=__builtins__, __annotations__={})
    sys.modules["__main__"] = module
    return module.__dict__


def put_first_on_path(folder: str) -> None:
    """Make `folder` the first place to import from, where Python put the folder it was started in."""
    if not sys.flags.safe_path:
        sys.path[0] = folder


def hide_our_frames() -> None:
    """Let tracebacks begin in the program, not in this file."""
    show = sys.excepthook

    def show_program_frames(
        kind: type[BaseException], error: BaseException, traceback: types.TracebackType | None
    ) -> None:
        while traceback is not None and is_ours(traceback):
            traceback = traceback.tb_next
        show(kind, error.with_traceback(traceback), traceback)

    sys.excepthook = show_program_frames


def is_ours(traceback: types.TracebackType) -> bool:
    """Say whether a frame of a traceback belongs to the way in, which `python` itself has no frames for."""
    return traceback.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>")


if __name__ == "__main__":
    main()
