"""Put our nn.Module in the place of PyTorch's.

python -m scratch FILE          run a program of PyTorch on our Module
scratch.install()               the same from code, before torch is imported
from scratch.module import Module      the class by itself, with nothing installed
"""

from scratch.finder import install, installed

__all__ = ["install", "installed"]
