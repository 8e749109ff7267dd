"""Readable terms of requests in English and Chinese, without stop words and ids."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from memories.lexicon import chinese_words
from memories.lexicon.english_words import LIGHT_IN_REQUESTS, STOP_OF_REQUESTS

# Control marks that a recording inserts into texts.
_CONTROL = re.compile(r"#{2,}\s*\w+\s*#{2,}|<\|[^|<>]{1,40}\|>|\[(?:DONE|END|STOP|EOS)\]|</?s>")
_SENTENCE = re.compile(r"[.!?;:,](?=\s|$)|[\n()\[\]{}\"“”。！？；：（）「」，、]")
_HAN = re.compile(f"[{chinese_words.HAN}]+")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_EDGES = "'\"`*~,.-–—…<>|/\\&+=%$#^"
LONGEST_WORD = 24
# A version that is asked for, whichever: 1.4.0, v2.1, version 3.0; no address, number of a person or date.
_VERSION = re.compile(
    r"(?<![\w.-])v?(\d{1,4}\.\d{1,2}\.\d{1,3})(?![\w%]|[.,-]\d)"
    r"|(?<!\w)(?:v|versions? |release |版本 ?)(\d{1,4}\.\d{1,3})(?![\w%]|[.,]\d)",
    re.IGNORECASE,
)
_DATE = re.compile(r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.[2-9]\d")  # 30.11.26
VERSION = "{version}"


def sentences(text: str) -> Iterator[list[str]]:
    """Yield the words of each clause as written; a piece with a digit, @, underscore or mask splits the clause."""
    plain = _CONTROL.sub(" . ", text.replace("’", "'"))
    for clause in _SENTENCE.split(plain):
        words: list[str] = []
        for chunk in _HAN.sub(" ", clause).split():
            bare = chunk.strip(_EDGES)
            if _WORD.fullmatch(bare) and len(bare) <= LONGEST_WORD:
                words.append(bare)
            elif words:
                yield words
                words = []
        if words:
            yield words


def stem(word: str) -> str:
    """Return the stem of a word: cancel, canceling, cancelled and cancellation share one. A key, not for reading."""
    for ending in ("ations", "ation", "ings", "ing", "ments", "ment", "ies", "ers", "ed", "es", "s", "er", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word if ending == "y" and word[-2] in "aeiou" else word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def grams(text: str) -> dict[str, str]:
    """Return the terms of a text, key -> as written: words, adjacent pairs, 2 to 4 consecutive Chinese characters, and
    that it names a version."""
    by_stem: dict[str, str] = {}
    for clause in sentences(text):
        before = link = ""
        for word in map(str.lower, clause):
            if word in STOP_OF_REQUESTS or len(word) < 3:
                before, link = (before, "of " if word == "of" else link) if word in LIGHT_IN_REQUESTS else ("", "")
                continue
            by_stem.setdefault(stem(word), word)
            if before and stem(before) != stem(word):
                by_stem.setdefault(f"{stem(before)} {stem(word)}", f"{before} {link}{word}")
            before, link = word, ""
    version = {VERSION: "版本号" if _HAN.search(text) else "a version number"} if names_version(text) else {}
    return by_stem | version | {piece: piece for piece in _han_pieces(text)}


def names_version(text: str) -> bool:
    """Return whether a text names a version, whichever."""
    return bool(versions(text))


def versions(text: str) -> set[str]:
    """Return the versions that a text names, without `v`."""
    return {name for match in _VERSION.finditer(text) if not _DATE.fullmatch(name := match[1] or match[2])}


def _han_pieces(text: str) -> Iterator[str]:
    for run in _HAN.findall(text):
        for size in (2, 3, 4):
            pieces = (run[start : start + size] for start in range(len(run) - size + 1))
            yield from (
                piece for piece in pieces if piece[0] not in chinese_words.STOP and piece[-1] not in chinese_words.STOP
            )


def capitals(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words with a capital letter inside a clause, and those without one; both in lower case."""
    capital: set[str] = set()
    small: set[str] = set()
    for words in sentences(text):
        small.update(word for word in words if word[0].islower())
        capital.update(word.lower() for word in words[1:] if not word[0].islower())
    return frozenset(capital), frozenset(small)


def is_han(term: str) -> bool:
    """Return whether a term consists of Chinese characters only."""
    return bool(_HAN.fullmatch(term))


def han(text: str) -> list[str]:
    """Return the runs of Chinese characters in a text."""
    return _HAN.findall(text)


def consists_of(piece: str, words: Collection[str]) -> bool:
    """Return whether a text can be segmented into these words, of at most 6 characters each."""
    word_ends = {0}
    for end in range(1, len(piece) + 1):
        if any(start in word_ends and piece[start:end] in words for start in range(max(0, end - 6), end)):
            word_ends.add(end)
    return len(piece) in word_ends


def most_frequent_form(forms: Sequence[str]) -> str:
    """Return the most frequent way to write a term, the shorter one on a tie."""
    counts = Counter(forms)
    return min(counts, key=lambda form: (-counts[form], len(form), form))
