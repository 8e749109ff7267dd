"""The words of a request: readable terms of English and Chinese, without grammar, politeness, ids and names."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from consolidation.learning.lexicon import CONTROL, STOP, STOP_ZH

_CONTROL = re.compile(CONTROL)
_SENTENCE = re.compile(r"[.!?;:\n()\[\]{}\"“”。！？；：（）「」]+\s*|,\s|，|、")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_EDGES = "'\"`*~,.-–—…<>|/\\&+=%$#^"
LONGEST_WORD = 24


def sentences(text: str) -> Iterator[list[str]]:
    """The words of each clause as written; what holds a digit, an @, an underscore or a mask parts the clause."""
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


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """cancel, canceling, cancelled and cancellation are one word; the result is a key, not for reading."""
    for ending in ("ations", "ation", "ings", "ing", "ments", "ment", "ers", "ed", "es", "s", "er", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


def content(text: str) -> list[list[str]]:
    """Per clause the words that carry meaning, in lower case."""
    clauses = ([w.lower() for w in clause] for clause in sentences(text))
    return [kept for clause in clauses if (kept := [w for w in clause if w not in STOP and len(w) > 2])]


def grams(text: str) -> dict[str, str]:
    """Every term of a text, key -> as written: words, pairs of neighbouring words, Chinese runs of 2 to 4."""
    found: dict[str, str] = {}
    for words in content(text):
        for n, word in enumerate(words):
            found.setdefault(stem(word), word)
            if n + 1 < len(words) and words[n + 1] != word:
                found.setdefault(f"{stem(word)} {stem(words[n + 1])}", f"{word} {words[n + 1]}")
    for run in _HAN.findall(text):
        for size in (2, 3, 4):
            for start in range(len(run) - size + 1):
                piece = run[start : start + size]
                if piece[0] not in STOP_ZH and piece[-1] not in STOP_ZH:
                    found.setdefault(piece, piece)
    return found


def proper_nouns(texts: Iterable[str]) -> set[str]:
    """Words with a capital letter inside a clause at least as often as without: names of people and places."""
    capital: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for text in texts:
        for words in sentences(text):
            for n, word in enumerate(words):
                if word[0].islower():
                    small[word] += 1
                elif n > 0 or len(words) == 1:
                    capital[word.lower()] += 1
                else:
                    capital[word.lower()] += 0
    return {word for word in capital if capital[word] >= small[word]}


def is_han(term: str) -> bool:
    return bool(_HAN.fullmatch(term))


def most_written(forms: Sequence[str]) -> str:
    """Of several ways to write a term the most frequent one, the shorter one on a tie."""
    counted = Counter(forms)
    return min(counted, key=lambda form: (-counted[form], len(form), form))
