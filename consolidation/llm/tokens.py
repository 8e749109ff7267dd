"""Tokens of a text, estimated: about four Latin characters are one, and one Chinese character is one. Their price."""

import math

from django.conf import settings

CHARACTERS_PER_TOKEN = 4


def estimate(*texts: str) -> int:
    """Upper end of what current tokenizers make of these texts; no tokenizer of a model is needed."""
    return sum(_tokens(text) for text in texts)


def _tokens(text: str) -> int:
    ascii_count = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return math.ceil(ascii_count / CHARACTERS_PER_TOKEN) + len(text) - ascii_count


def cost(incoming: int, outgoing: int) -> float | None:
    """Price of so many tokens, in the currency of LLM_PRICE_INPUT and LLM_PRICE_OUTPUT; None: neither is set."""
    prices = settings.LLM_PRICE_INPUT, settings.LLM_PRICE_OUTPUT
    return round((incoming * prices[0] + outgoing * prices[1]) / 1_000_000, 6) if any(prices) else None
