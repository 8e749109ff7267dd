"""The English stemmer alone: the library imports those of forty languages, 2 MB."""

from typing import Any

from memos_site.platform.imports import module_alone


def english() -> Any:
    """A stemmer of one's own: it keeps the word it works on in itself, so two threads must not share it."""
    return module_alone("snowballstemmer", "english_stemmer").EnglishStemmer()
