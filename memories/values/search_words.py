"""Words that search compares: those of scripts without spaces, Chinese and Japanese, as pairs of characters.

PostgreSQL splits the others by itself, but reads a path as one word. And the words of keys, by which lists find them.
"""

import re

from django.contrib.postgres.search import SearchQuery, SearchVectorExact, SearchVectorField
from django.db.models import Func, Q

from memories.values.text import UNSPACED

_PATH = re.compile(r"(?<![\w@:/.-])[\w.-]{0,80}+(?:/[\w.-]{1,80}+){1,20}")  # bin/test, no address of the web
_PART_OF_PATH = re.compile(r"[^\W\d_][^\W_]+")


def searchable(text: str) -> str | None:
    """The text with each run of Chinese or Japanese as character bigrams, as in queries; None when nothing changes."""
    if text.isascii() or not UNSPACED.search(text):
        return None
    return UNSPACED.sub(lambda run: f" {' '.join(pairs(run.group()))} ", text)


def indexed(text: str, *, paths: bool = False) -> str | None:
    """As `searchable`, with every single character too, for the index.

    Else a query of one character (茶) would only match where it stands alone. `paths`: with the words in them too, so
    that "tests" finds `bin/test`; in events, most of which name many paths, they would cost more than they tell.
    """
    words = searchable(text)
    extra_words = [] if words is None else [*"".join(UNSPACED.findall(text))]
    if paths and "/" in text:
        extra_words += [part for path in _PATH.findall(text) for part in _PART_OF_PATH.findall(path)]
    return f"{words or text} {' '.join(dict.fromkeys(extra_words))}" if extra_words else None


def pairs(run: str) -> list[str]:
    """Character bigrams of a run; a single character is returned as it is."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or ([run] if run else [])


def bigrams(text: str) -> list[str]:
    """The character bigrams of every run of Chinese or Japanese, in order."""
    return [pair for run in UNSPACED.findall(text) for pair in pairs(run)]


def spaced_share(text: str) -> float:
    """The share of a text that is of scripts with spaces between words; 1 of an empty one."""
    return 1 - sum(map(len, UNSPACED.findall(text))) / len(text) if text else 1.0


WORD = re.compile(rf"{UNSPACED.pattern.removesuffix('+')}|[^\W_]+")


class KeyWords(Func):
    """The words of a key, separated by anything that is no letter or digit. Defined in SQL in a migration."""

    function = "memos_key_words"
    output_field = SearchVectorField()


def in_key(words: str, column: str = "key") -> Q:
    """Condition on a memory's key, or another column with an index of its words: it holds these one after the other,
    the last one perhaps only begun.
    """
    key_words = WORD.findall(words)
    if not key_words:
        return Q(pk__in=[])
    ending = "" if UNSPACED.match(key_words[-1]) else ":*"
    query = SearchQuery(" <-> ".join(key_words) + ending, search_type="raw", config="simple")
    return Q(**{f"{column}__isnull": False}) & Q(SearchVectorExact(KeyWords(column), query))
