import importlib.abc
import importlib.util
import sys
import tempfile
from pathlib import Path

FILES = {
    "__init__.py": "from shop.layer import Layer",
    "base.py": "class Base: maker = 'the package'",
    "layer.py": "from shop.base import Base\nclass Layer(Base): pass",
}


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        print("  asked for", name)
        if name == "shop.base":
            return importlib.util.spec_from_loader(name, self)

    def exec_module(self, module):
        exec("class Base: maker = 'the finder'", vars(module))


def import_shop():
    import shop

    for name in ("shop", "shop.layer", "shop.base"):
        del sys.modules[name]
    return f"Layer stands on a Base from {shop.Layer.__mro__[1].maker}"


with tempfile.TemporaryDirectory() as folder:
    Path(folder, "shop").mkdir()
    for name, text in FILES.items():
        Path(folder, "shop", name).write_text(text)
    sys.path.insert(0, folder)
    print(import_shop())
    sys.meta_path.insert(0, Finder())
    print(import_shop())
    del sys.meta_path[0], sys.path[0]
