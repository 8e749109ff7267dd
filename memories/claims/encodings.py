"""Decoding of text in HTML entities and tags, percent-encoding, escapes (\\u4ed8), base64 or hexadecimal digits."""

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable
from urllib.parse import unquote

MOST_ROUNDS = 3  # &amp;amp;amp;, or base64 of percent-encoded text
LEAST_BYTES = 9  # of a text in base64: a shorter run may be a word
_INLINE = "a|abbr|b|big|code|del|em|font|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|tt|u|wbr"
_BLOCK = "blockquote|br|div|h[1-6]|hr|li|ol|p|pre|section|table|tbody|td|th|tr|ul"
LONGEST_CIPHER = 2_000  # characters
_HAN = re.compile("[\u4e00-\u9fff]")
_SMALL_WORDS = re.compile(
    r"(?<!\w)(?:the|an?|and|of|to|in|is|are|was|on|by|for|with|at|its?|not|has|have|from)(?!\w)", re.IGNORECASE
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
        text = _PERCENT.sub(_unquoted, text)
    if text.count("\\") > 1:
        text = _ESCAPE.sub(_unescaped, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if _LONG_WORD.search(text):
        text = _BASE64.sub(_from_bytes(_of_base64), text)
    return _HEX.sub(_from_bytes(bytes.fromhex), text) if _HEX_BEGINS.search(text) else text


def _unquoted(word: "re.Match[str]") -> str:
    """Decode a word with several encoded bytes, or with an encoded space between letters. An address stays."""
    written = word[0]
    spaced = re.search(r"[^\W\d]%20[^\W\d]", written)
    if "://" in written or (len(_PERCENT_BYTE.findall(written)) < 2 and not spaced):
        return written
    try:
        return unquote(written.replace("+", " ") if " " not in written else written, errors="strict")
    except UnicodeDecodeError:
        return written


def _unescaped(escape: "re.Match[str]") -> str:
    if escape[4]:
        return bytes.fromhex(escape[4].replace("\\x", "")).decode("utf-8", "replace")
    code = int(escape[1] or escape[2] or escape[3], 16)
    return chr(code) if code < 0x110000 else escape[0]


def _from_bytes(read: Callable[[str], bytes]) -> Callable[["re.Match[str]"], str]:
    def replaced(run: "re.Match[str]") -> str:
        try:
            plain = read(run[0]).decode("utf-8")
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
