"""Let the rest of a process take our file for one of PyTorch's, where that is decided by a path or a command line.

Some parts of torch.compile, torch.export and their reports ask in which file a function was written, and
multiprocessing starts new interpreters. Each is seen to right after its own import, if it comes.
"""

import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:  # every program waits for this import, and typing would double it
    from typing import Any

FOLDER = os.path.dirname(os.path.abspath(__file__))
MODULE_FILE = os.path.join(FOLDER, "module.py")


def count_our_file_as_torch(rules: "Any") -> None:
    """Let torch.compile begin in a user's forward, not in our __call__, and go through ours from there."""
    path = MODULE_FILE.replace(os.sep, "/")
    # Not to be compiled by itself, but as a part of what calls it. Torch empties these caches now and then.
    skipped, inlined = rules.get_mod_skiplist.__wrapped__, rules.get_mod_inlinelist.__wrapped__
    rules.get_mod_skiplist = functools.cache(lambda: {*skipped(), path})
    rules.get_mod_inlinelist = functools.cache(lambda: {*inlined(), path})


def leave_our_frames_out_of_graphs(translation: "Any") -> None:
    """Let the stack trace of a compiled operation show the user's lines alone."""
    translator = translation.InstructionTranslatorBase
    ask_torch = translator.is_co_filename_from_nn_modules
    translator.is_co_filename_from_nn_modules = lambda self: self.f_code.co_filename == MODULE_FILE or ask_torch(self)


def blame_user_code(shapes: "Any") -> None:
    """Let torch.export name the user's line in an error, not the line of ours that called it."""

    def find_user_code_frame() -> FrameType | None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(files_of_torch()):
            frame = frame.f_back
        return frame

    shapes._find_user_code_frame  # noqa: B018 - another torch may not have it: then there is nothing to replace
    shapes._find_user_code_frame = find_user_code_frame


def report_user_code(reports: "Any") -> None:
    """Let the reports of torch.export, and structured logs, end in the user's line and not in ours that it called."""
    ask_torch = reports.get_user_stack

    def get_user_stack(num_frames: int) -> list[dict]:
        import traceback

        if sys.modules["torch._guards"].TracingContext.extract_stack():  # Dynamo's own stack, which has none of ours
            return ask_torch(num_frames)
        frames = traceback.extract_stack()[:-1]
        while frames and frames[-1].filename.startswith(files_of_torch()):
            frames.pop()
        return reports.from_traceback(frames[-num_frames:]) if frames else ask_torch(num_frames)

    reports.get_user_stack = get_user_stack


def name_user_lines(debug: "Any") -> None:
    """Let a DebugMode that records stacks name the user's line, not ours that called the layer."""
    if not hasattr(debug, "_get_user_stack_trace"):
        return  # in the older torch this is one file, in the newer a package with the function in its `_utils`
    ask_torch = debug._get_user_stack_trace

    def get_user_stack_trace(stack: str) -> str | None:
        import re

        our_frame = rf'^ *File "{re.escape(MODULE_FILE)}".*\n(?: {{4,}}.*\n?)*'
        return ask_torch(re.sub(our_frame, "", stack, flags=re.MULTILINE))

    debug._get_user_stack_trace = get_user_stack_trace


def files_of_torch() -> tuple[str, str]:
    """Say how the paths of all files begin that are not a user's, in a process that runs on our Module."""
    return os.path.dirname(str(sys.modules["torch"].__file__)) + os.path.sep, MODULE_FILE


def start_children_on_our_module(util: "Any") -> None:
    """Let multiprocessing start its children as `python scratch -c …` where it would say `python -c …`."""
    ask_python = util._args_from_interpreter_flags
    # By its folder: a child may be started where `-m scratch` would not find it.
    util._args_from_interpreter_flags = lambda: [*ask_python(), FOLDER]


AFTER_IMPORT: dict[str, Callable[[ModuleType], None]] = {
    "torch._dynamo.trace_rules": count_our_file_as_torch,
    "torch._dynamo.symbolic_convert": leave_our_frames_out_of_graphs,
    "torch.fx.experimental.symbolic_shapes": blame_user_code,
    "torch._logging.structured": report_user_code,
    "torch.utils._debug_mode": name_user_lines,
    "torch.utils._debug_mode._utils": name_user_lines,
    "multiprocessing.util": start_children_on_our_module,
}


class Companion:
    """Find nothing, and see to it that the modules of AFTER_IMPORT are adapted when another finder's loader is done."""

    def find_spec(self, name: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in AFTER_IMPORT:
            return None
        others: Iterator[Any] = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if spec is not None:
            loader = spec.loader
            load = loader.exec_module

            def load_and_adapt(module: ModuleType) -> None:
                load(module)
                adapt(module)

            loader.exec_module = load_and_adapt
        return spec


def adapt(module: ModuleType) -> None:
    """Adapt one module of AFTER_IMPORT, or say that it can't be: a newer torch may have taken the names away."""
    try:
        AFTER_IMPORT[module.__name__](module)
    except AttributeError as error:
        warnings.warn(f"scratch could not adapt {module.__name__} to our Module: {error}", stacklevel=2)


def install() -> None:
    """Adapt what is imported already, and the others as they come."""
    for name in AFTER_IMPORT:
        if name in sys.modules:
            adapt(sys.modules[name])
    sys.meta_path.insert(1, Companion())
