"""Digits and signs in place of letters: p4ym3nt, p@yment, $end.

A code may look alike (neo4j), so a word that is read from digits is marked: it must not differ, as a name, but agrees
with the same word in letters.
"""

import re

MARK = "\ue000"  # before a word that was written with digits
LETTERS = {"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", "$": "s", "!": "i"}
LEAST_LETTERS = 3
LEAST_OF_DIGEST = 7  # hexadecimal digits
LEAST_MIXED, MOST_OF_WORDS = 4, 0.6  # words with digits of a text that is written so throughout
_WORD = re.compile(
    r"(?<![\w@.$/#+-])(?!0x)(?=[A-Za-z0134578@$!]{0,39}[A-Za-z])[A-Za-z0134578@$!]{2,40}(?![\w@$/#+-]|\.\w)"
)
_LETTERED = re.compile(r"(?<![\w/.-])[A-Za-z0-9@$!]{1,40}(?![\w/-])")
_MIXED = re.compile(
    r"(?<![\w/.-])(?=[0-9@$!]{0,39}[A-Za-z])(?=[A-Za-z]{0,39}[0134578@$9])[A-Za-z0-9@$]{2,40}(?![\w/-])"
)
_CANDIDATE = re.compile(r"[A-Za-z][0134578@$!]{1,3}[A-Za-z]")
_ENCLOSED = re.compile(r"[A-Za-z][0134578@$!]{1,3}(?=[A-Za-z])")
_RUN = re.compile(r"[013457@$!8]+")
_HEX = frozenset("0123456789abcdef")
_VOWELS = frozenset("aeiou")


def in_letters(text: str, *, throughout: bool) -> str:
    """Write such words in letters, each behind a MARK. One with a digit only at its end (net30) or its beginning (3rd)
    is such a word where others are; `throughout`: and where most words have digits any that has is one (c0n7r4c75).
    """
    if not _CANDIDATE.search(text):
        return text
    sure = {word for word in _WORD.findall(text) if _is_sure(word)}
    plain = _WORD.sub(lambda word: _in_letters(word[0], sure), text) if sure else text
    if throughout and _is_written_so(text):
        plain = _MIXED.sub(lambda word: f"{MARK}{_letters(word[0].replace('9', 'g'))}", plain)
    return plain


def _is_written_so(text: str) -> bool:
    words = _LETTERED.findall(text)
    count = sum(
        any(map(str.isalpha, word))
        and not word.isalpha()
        and not (len(word) >= LEAST_OF_DIGEST and _HEX.issuperset(word))
        for word in words
    )
    return count >= LEAST_MIXED and count >= MOST_OF_WORDS * sum(any(map(str.isalpha, word)) for word in words)


def _is_sure(word: str) -> bool:
    return bool(_ENCLOSED.search(word)) and not _is_code(word)


def _is_code(word: str) -> bool:
    """Whether a word is rather a code, a number or a digest: Point3D, sha100, d7d3e4b."""
    letters = "".join(filter(str.isalpha, word))
    cases = letters.islower() or letters.isupper() or (letters.istitle() and word[0] == letters[0])
    few = len(letters) < max(LEAST_LETTERS, len(word) / 2) or _HEX.issuperset(word.lower())
    return not cases or few or any(len(run) > 3 for run in _RUN.findall(word))


def _in_letters(word: str, sure: set[str]) -> str:
    body = word.rstrip("!")
    is_leet = word in sure or (len(sure) > 1 and not body.isalpha() and len(body) <= 2 + sum(map(str.isalpha, body)))
    return f"{MARK}{_letters(body)}{word[len(body) :]}" if is_leet else word


def _letters(word: str) -> str:
    plain = "".join(char if char == "1" else LETTERS.get(char, char) for char in word)
    return "".join(_letter_of_one(plain, at) if char == "1" else char for at, char in enumerate(plain))


def _letter_of_one(word: str, at: int) -> str:
    """A 1 is an l beside a vowel (de1ete, inva1id), else an i (f1rst, ema1l)."""
    neighbours = (word[max(0, at - 1) : at] + word[at + 1 : at + 2]).lower()
    return "l" if at and "l" not in neighbours and not _VOWELS.isdisjoint(neighbours) else "i"
