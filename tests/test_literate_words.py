"""The words of the site are the same in every language: the same keys, with the same gaps."""

from collections import Counter
from string import Formatter

import pytest

from literate.reading.repository import ENGLISH, OTHERS
from literate.reading.words import say, words

DOCSTRINGS = "reference.names."  # in English a name is explained by its docstring, where it has one


def gaps(text):
    return Counter(field for _, field, _, _ in Formatter().parse(text) if field is not None)


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_keys_with_the_same_gaps(language):
    english, other = words(ENGLISH), words(language)
    assert english.keys() - other.keys() == set()
    assert [key for key in other.keys() - english.keys() if not key.startswith(DOCSTRINGS)] == []
    assert [key for key in english if gaps(english[key]) != gaps(other[key])] == []


def test_a_word_is_said_with_its_gaps_filled():
    assert say("en", "card.output of", name="one-is-one") == "Output of one-is-one"
