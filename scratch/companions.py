"""Let the rest of a process take our file for one of PyTorch's, where that is decided by a path or a command line.

Three parts of torch.compile and torch.export ask in which file a function was written, and multiprocessing starts new
interpreters. None of them is imported by `import torch`, so each is seen to right after its own import, if it comes.
"""

import importlib.abc
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType

FOLDER = Path(__file__).parent
MODULE_FILE = str(FOLDER / "module.py")


def count_our_file_as_torch(rules: ModuleType) -> None:
    """Let torch.compile begin in a user's forward, not in our __call__, and go through ours from there."""
    path = Path(MODULE_FILE).as_posix()
    rules.get_mod_skiplist().add(path)  # not to be compiled by itself,
    rules.get_mod_inlinelist().add(path)  # but as a part of what calls it


def leave_our_frames_out_of_graphs(translation: ModuleType) -> None:
    """Let the stack trace of a compiled operation show the user's lines alone."""
    translator = translation.InstructionTranslatorBase
    ask_torch = translator.is_co_filename_from_nn_modules
    translator.is_co_filename_from_nn_modules = lambda self: self.f_code.co_filename == MODULE_FILE or ask_torch(self)


def blame_user_code(shapes: ModuleType) -> None:
    """Let torch.export name the user's line in an error, not the line of ours that called it."""
    torch_folder = os.path.dirname(sys.modules["torch"].__file__) + os.path.sep

    def find_user_code_frame() -> FrameType | None:
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith((torch_folder, MODULE_FILE)):
            frame = frame.f_back
        return frame

    shapes._find_user_code_frame  # noqa: B018 - another torch may not have it: then there is nothing to replace
    shapes._find_user_code_frame = find_user_code_frame


def start_children_on_our_module(util: ModuleType) -> None:
    """Let multiprocessing start its children as `python scratch -c …` where it would say `python -c …`."""
    ask_python = util._args_from_interpreter_flags
    # By its folder: a child may be started where `-m scratch` would not find it.
    util._args_from_interpreter_flags = lambda: [*ask_python(), str(FOLDER)]


AFTER_IMPORT: dict[str, Callable[[ModuleType], None]] = {
    "torch._dynamo.trace_rules": count_our_file_as_torch,
    "torch._dynamo.symbolic_convert": leave_our_frames_out_of_graphs,
    "torch.fx.experimental.symbolic_shapes": blame_user_code,
    "multiprocessing.util": start_children_on_our_module,
}


class Companion(importlib.abc.MetaPathFinder):
    """Find nothing, and see to it that the modules of AFTER_IMPORT are adapted when another finder's loader is done."""

    def find_spec(self, name, path, target=None):
        if name not in AFTER_IMPORT:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (finder.find_spec(name, path, target) for finder in others)), None)
        if spec is not None:
            load = spec.loader.exec_module

            def load_and_adapt(module):
                load(module)
                adapt(module)

            spec.loader.exec_module = load_and_adapt
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
