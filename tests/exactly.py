"""Expect errors and warnings to the letter: programs match on their types and texts."""

import warnings
from contextlib import contextmanager

import pytest


@contextmanager
def raises(kind, text):
    """Expect an error of exactly this type, no subclass, that says exactly this text."""
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert type(error) is kind
    assert (error.args[0] if len(error.args) == 1 else str(error)) == text


@contextmanager
def warns(*expected):
    """Expect these (category, text) pairs and no further warning, in this order."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield seen
    assert [(warning.category, str(warning.message)) for warning in seen] == list(expected)
