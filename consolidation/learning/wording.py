"""Text helpers: lists, capital letters, shortening."""

from collections.abc import Sequence


def joined(parts: Sequence[str], word: str = "and") -> str:
    """Join parts as a list: a, b and c."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def upper_first(text: str) -> str:
    """Capitalize the first character and leave the rest."""
    return text[:1].upper() + text[1:]


def cut(text: str, limit: int) -> str:
    """Shorten a text to at most `limit` characters, ending at a word."""
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0].rstrip(",;: ") + "…"
