"""Tokens of a text, estimated from above, and their price.

No model's tokenizer is needed: words, signs, digits and letters of other scripts are counted as the tokenizers of
current models split them at worst (o200k, cl100k, Qwen and DeepSeek were measured; docs/models.md). Text in English or
Chinese and code come out 1.1 to 2 times too large, never too small; Chinese characters drawn at random may.
"""

import re

from django.conf import settings

CHARACTERS_PER_TOKEN = 4  # of English text, where only its length is known
WORD, CAPITALS, SIGNS = 5, 1.5, 2  # characters of a token: of a word, of capitals, of punctuation
HAN, TWO_OCTETS, THREE_OCTETS, FOUR_OCTETS = 1.35, 1.0, 2.0, 3.0  # tokens of one character
_PIECES = re.compile(
    r"(?=[A-Za-z+/=_-]*[0-9])[A-Za-z0-9+/=_-]{20,}"  # keys, hashes, encoded data
    r"|[A-Z]?[a-z]+|[A-Z]+|[!-/:-@\[-`{-~]+|[\n\r]+|[ \t]{2,}| (?=[0-9])|[0-9]|[^\x00-\x7f]"
)


def estimate(*texts: str) -> int:
    """Upper bound of what tokenizers make of these texts."""
    return sum(_tokens(text) for text in texts)


def _tokens(text: str) -> int:
    return round(sum(map(_of_piece, _PIECES.findall(text))) + 0.5) if text else 0


def _of_piece(piece: str) -> float:
    first, length = piece[0], len(piece)
    if first > "\x7f":
        return _of_character(first)
    if first.isspace() or length == 1:
        return 1
    if length >= 20 and any(map(str.isdigit, piece)):
        return length
    if not first.isalpha():
        return -(-length // SIGNS)
    return -(-length // WORD) if piece[-1].islower() else -(-length // CAPITALS)


def _of_character(char: str) -> float:
    if "\u3000" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef":
        return HAN
    return TWO_OCTETS if char < "\u0800" else THREE_OCTETS if char <= "\uffff" else FOUR_OCTETS


def cut(text: str, most: int) -> str:
    """A text of at most so many tokens: its beginning and its end, where it is longer."""
    while (size := estimate(text)) > most:
        half = max(1, int(len(text) * most / size * 0.48))
        text = f"{text[:half]}\n[…]\n{text[-half:]}"
        if half == 1:
            break
    return text


def cost(incoming: int, outgoing: int) -> float | None:
    """Price of so many tokens, in the currency of LLM_PRICES; None: they are not known."""
    if not settings.LLM_PRICES:
        return None
    read, written = settings.LLM_PRICES
    return round((incoming * read + outgoing * written) / 1_000_000, 6)
