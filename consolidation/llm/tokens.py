"""Tokens of a text, estimated: about four Latin characters are one, and one Chinese character is one."""

import math

CHARACTERS_PER_TOKEN = 4


def estimate(*texts: str) -> int:
    """Upper end of what current tokenizers make of these texts; no tokenizer of a model is needed."""
    return sum(_tokens(text) for text in texts)


def _tokens(text: str) -> int:
    ascii_count = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return math.ceil(ascii_count / CHARACTERS_PER_TOKEN) + len(text) - ascii_count
