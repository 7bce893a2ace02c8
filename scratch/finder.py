"""Answer the import of torch.nn.modules.module with our file."""

import importlib.machinery
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from scratch import companions

TARGET = "torch.nn.modules.module"


class Loader(importlib.machinery.SourceFileLoader):
    """Load module.py under torch's name, and make `scratch.module` mean the same module."""

    def exec_module(self, module: ModuleType) -> None:
        # One class, whichever way it is imported: a second copy would not be the base of torch.nn.Linear.
        sys.modules["scratch.module"] = vars(sys.modules["scratch"])["module"] = module
        super().exec_module(module)


class Finder:
    """Find our file where torch.nn.modules.module is asked for, and leave every other name to the next finder."""

    # It needs no base: importlib.abc has one, and takes longer to import than all of this.

    def find_spec(self, name: str, path: object, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != TARGET:
            return None
        file = companions.MODULE_FILE
        return importlib.util.spec_from_file_location(name, file, loader=Loader(name, file))


def installed() -> bool:
    """Say whether torch.nn.Module is, or will be, ours."""
    module = sys.modules.get(TARGET)
    if module is not None:
        return getattr(module, "__file__", None) == companions.MODULE_FILE
    return any(isinstance(finder, Finder) for finder in sys.meta_path)


def install(file: str | None = None) -> None:
    """Put our Module in the place of PyTorch's for the rest of this process.

    Args:
        file: another file that defines a Module, to stand in; also the environment can name it, as SCRATCH_MODULE.

    Raises:
        FileNotFoundError: if there is no such file.
        RuntimeError: if torch was imported before: its layers are built on PyTorch's Module already.
    """
    file = file or os.environ.get("SCRATCH_MODULE")
    if file:
        if not os.path.isfile(file):
            raise FileNotFoundError(f"there is no file {file} to stand in for PyTorch's Module")
        # In the environment for the processes that this one starts, wherever it goes meanwhile.
        companions.MODULE_FILE = os.environ["SCRATCH_MODULE"] = os.path.abspath(file)
    if installed():
        return
    if "torch" in sys.modules:
        raise RuntimeError(
            "torch is already imported, so its layers stand on PyTorch's own Module. "
            "Call scratch.install() before the first `import torch`, or run `python -m scratch FILE`."
        )
    if "scratch.module" in sys.modules:
        raise RuntimeError(
            "scratch.module is already imported, as a class by itself. "
            "Call scratch.install() first; then `from scratch.module import Module` gives the installed one."
        )
    sys.meta_path.insert(0, Finder())
    companions.install()
