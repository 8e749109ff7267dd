"""Deobfuscation: what a text says to a reader, or to a model, however its letters are encoded, written and spaced.

`decoded` undoes HTML entities and tags, percent-encoding, escapes (\\u4ed8), base64 and hexadecimal digits.
"""

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable
from urllib.parse import unquote

from memories.claims import chinese, leet
from memories.claims.lookalikes import folded, plain_letters, simplified

MOST_ROUNDS = 3  # &amp;amp;amp;, base64 of percent-encoded text or of spaced letters
LEAST_BYTES = 9  # of a text in base64: a shorter run may be a word
_INLINE = "a|abbr|b|big|code|del|em|font|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|tt|u|wbr"
_BLOCK = "blockquote|br|div|h[1-6]|hr|li|ol|p|pre|section|table|tbody|td|th|tr|ul"
LONGEST_CIPHER = 2_000  # characters
_HAN = re.compile("[\u4e00-\u9fff]")
_SMALL_WORDS = re.compile(
    r"(?<!\w)(?:the|an?|and|of|to|in|is|are|was|on|by|for|with|at|its?|not|has|have|from|be|as|when|should|must|never"
    r"|always|only|before|after|until|during|between|without|within)(?!\w)",
    re.IGNORECASE,
)
_TAG = re.compile(
    rf"<!--[^<>]{{0,200}}-->|</?(?:{_INLINE}|(?P<block>{_BLOCK}))(?:\s(?![^<>]{{0,200}}(?:href|src))[^<>]{{0,200}})?/?>",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"(?<!\S)\S{0,2000}?%[0-9A-Fa-f]{2}\S{0,8000}")
_PERCENT_BYTE = re.compile(r"%[0-9A-Fa-f]{2}")
_ESCAPE = re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|((?:\\x[0-9A-Fa-f]{2})+)")
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{12,8000}={0,2}(?![\w+/=-])")
_LONG_WORD, _HEX_BEGINS = re.compile(r"[\w+/-]{12}"), re.compile(r"\b[2-7e][0-9A-Fa-f][ :]?[2-9a-fA-F][0-9A-Fa-f]")
_HEX = re.compile(r"(?<![\w-])(?:[0-9A-Fa-f]{2}[ :]?){9,4000}(?![\w-])")


def decoded(text: str) -> str:
    """The text that a reader of these encodings sees. What does not decode to readable text stays as it is."""
    for _ in range(MOST_ROUNDS):
        plain = _decoded_once(text)
        if plain == text:
            break
        text = plain
    return text


def readings(text: str) -> list[str]:
    """The text, and what it says backwards, or with each letter moved by 13 places; English that stands as it is, which
    small words tell, is read in no other way."""
    if _HAN.search(text):
        return [text, text[::-1]]
    if len(text) > LONGEST_CIPHER or " " not in text.strip() or _SMALL_WORDS.search(text):
        return [text]
    return [text, text[::-1], codecs.encode(text, "rot13")]


def _decoded_once(text: str) -> str:
    if "&" in text:
        text = html.unescape(text)
    if "<" in text and ("</" in text or "<!--" in text or "<br" in text):
        text = _TAG.sub(lambda tag: " " if tag["block"] else "", text)
    if "%" in text:
        text = _PERCENT.sub(_decode_percent, text)
    if text.count("\\") > 1:
        text = _ESCAPE.sub(_decode_escape, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if _LONG_WORD.search(text):
        text = _BASE64.sub(_from_bytes(_of_base64), text)
    return _HEX.sub(_from_bytes(bytes.fromhex), text) if _HEX_BEGINS.search(text) else text


def _decode_percent(word: "re.Match[str]") -> str:
    """Decode a word with several encoded bytes, or with an encoded space between letters. An address stays."""
    written = word[0]
    encoded_space = re.search(r"[^\W\d]%20[^\W\d]", written)
    if "://" in written or (len(_PERCENT_BYTE.findall(written)) < 2 and not encoded_space):
        return written
    try:
        return unquote(written.replace("+", " ") if " " not in written else written, errors="strict")
    except UnicodeDecodeError:
        return written


def _decode_escape(escape: "re.Match[str]") -> str:
    if escape[4]:
        return bytes.fromhex(escape[4].replace("\\x", "")).decode("utf-8", "replace")
    code = int(escape[1] or escape[2] or escape[3], 16)
    return chr(code) if code < 0x110000 else escape[0]


def _from_bytes(decode: Callable[[str], bytes]) -> Callable[["re.Match[str]"], str]:
    def replaced(run: "re.Match[str]") -> str:
        try:
            plain = decode(run[0]).decode("utf-8")
        except (ValueError, binascii.Error):
            return run[0]
        return f" {plain} " if _is_readable(plain) else run[0]

    return replaced


def _of_base64(written: str) -> bytes:
    bare = written.rstrip("=").replace("-", "+").replace("_", "/")
    raw = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    if len(raw) < LEAST_BYTES:
        raise ValueError("too short to be told from a word")
    return raw


def _is_readable(plain: str) -> bool:
    """Whether bytes that were decoded are words: printable, mostly letters. Random ones are not."""
    if not all(char.isprintable() or char.isspace() for char in plain):
        return False
    plain_text = _PERCENT_BYTE.sub("a", plain)
    return sum(char.isalpha() or char.isspace() for char in plain_text) >= 0.6 * len(plain_text)


LEAST_JOINED = 4  # words that are joined by capitals: GitHub and JavaScript are names
LEAST_SHARE = 0.7  # of such a word in the text: within others it is the name of a class
LEAST_SPACED, MOST_WORDS = 6, 0.3  # single characters of a text that is spaced out; share of its longer words
_LETTER = rf"[^\W\d_{chinese.CLASS}]"
_SPACED = re.compile(r"(?<![^\W_])[^\W\d_][\s.*_|/·~-][^\W\d_](?![^\W_])")
_SPACED_WORD = re.compile(rf"(?<!\w)({_LETTER})([ .*|/·~-])(?:{_LETTER}\2){{2,60}}{_LETTER}(?!\w)")
_SPACED_HAN = re.compile(
    rf"(?<![{chinese.CLASS}])[{chinese.CLASS}](?:[ \t.*|/·~_-]{{1,2}}[{chinese.CLASS}](?![{chinese.CLASS}])){{2,2000}}"
)
_WORD = re.compile(r"[^\W\d_]{2}")
_SEPARATOR = re.compile(r"[\s.*|/·~_-]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_JOINED_BY_CAPITALS = re.compile(r"(?<!\w)[A-Za-z][A-Za-z0-9-]{11,400}(?!\w)")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def respaced(text: str) -> str:
    """Join what is written with spaces inside its words, and split what is written without any."""
    if _SPACED.search(text):
        if _is_spaced_out(text):
            return " ".join(word.replace(" ", "") for word in re.split(r"\s{2,}", text))
        text = _SPACED_WORD.sub(lambda run: run[0].replace(run[2], ""), text)
    if not text.isascii():
        text = _SPACED_HAN.sub(lambda run: _SEPARATOR.sub("", run[0]), text)
    return _JOINED_BY_CAPITALS.sub(_split, text) if _HUMP.search(text) else text


def _is_spaced_out(text: str) -> bool:
    parts = text.split()
    single = sum(len(part) == 1 and part.isalpha() for part in parts)
    longer = sum(len(part) > 1 and not part.isdecimal() and _WORD.search(part) is not None for part in parts)
    return single >= LEAST_SPACED and longer <= MOST_WORDS * single


def _split(word: "re.Match[str]") -> str:
    parts: list[str] = _PART.findall(word[0])
    capitals = sum(part[0].isupper() and len(part) > 1 for part in parts)
    letters = [part for part in parts if part.isalpha()]
    is_complete = "".join(parts) == word[0].replace("-", "")
    readable = len(letters) >= LEAST_JOINED and sum(map(len, letters)) >= 3 * len(letters)
    is_most = len(word[0]) >= LEAST_SHARE * len(word.string.replace(" ", ""))
    return " ".join(parts) if is_complete and readable and is_most and capitals >= LEAST_JOINED - 1 else word[0]


def deobfuscated(text: str, *, throughout: bool = True) -> str:
    """The text in plain letters, for comparison only. A word that was written with digits stands behind `leet.MARK`."""
    text = text.replace(leet.MARK, "")
    for _ in range(MOST_ROUNDS):
        plain = respaced(folded(plain_letters(decoded(text))))
        if plain == text:
            break
        text = plain
    return leet.in_letters(simplified(text), throughout=throughout)
