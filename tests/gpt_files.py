"""Import what the page "A GPT on it" gives to import: gpt, pretrained and training."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "snippets" / "a-gpt-on-it"
sys.path.insert(0, str(FOLDER))

import gpt  # noqa: E402
import pretrained  # noqa: E402
import training  # noqa: E402

__all__ = ["FOLDER", "gpt", "pretrained", "training"]
