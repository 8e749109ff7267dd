"""Detection of prompt injection in English, Chinese, German, Spanish, and the plainest orders in French.

The patterns stand in `orders/`.

A match asks for human review and proves nothing, and neither does its absence: whoever knows the patterns can write
around them. The protection is elsewhere: only what a person taught or promoted to applied becomes a directive.
"""

import re

from memories.claims import lookalikes
from memories.claims.lookalikes import plain_letters, simplified
from memories.claims.obfuscation import decoded, respaced
from memories.scanning import ciphers
from memories.scanning.alternatives import Alternatives
from memories.scanning.orders import authority, destruction, disclosure, downloads, instructions, oversight, safeguards

EVERY = {
    "instruction-override": Alternatives(*instructions.OVERRIDE),
    "instruction-secrecy": Alternatives(*oversight.SECRECY),
    "instruction-role": Alternatives(*instructions.ROLE),
    "instruction-leak": Alternatives(*disclosure.LEAK),
    "instruction-harm": Alternatives(*destruction.HARM),
    "instruction-deletion": Alternatives(*destruction.DELETION),
    "instruction-sending": Alternatives(*disclosure.SENDING),
    "instruction-download": Alternatives(*downloads.DOWNLOADS),
    "instruction-tests": Alternatives(*safeguards.QUALITY_CHECKS),
    "instruction-approval": Alternatives(*oversight.APPROVAL),
    "instruction-access": Alternatives(*safeguards.ACCESS),
    "instruction-authority": Alternatives(*authority.AUTHORITY),
}
_ANY = Alternatives(*(pattern for alternatives in EVERY.values() for pattern in alternatives.patterns))
_LEET = str.maketrans("013457@$", "oieastas")
_WIDE_SIGNS = str.maketrans("，：；！？（）", ",:;!?()")  # no reading of their own
_MIXED = re.compile(r"\b(?=\w{0,30}[A-Za-z])(?=\w{0,30}[0134578])[\w@$]{2,30}")

# letters or Chinese characters apart from each other, or words joined by capitals
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_][ \t.*|_/·~-]{1,2}){3}[^\W\d_]|[a-z][A-Z][a-z]{1,20}[A-Z][a-z]")


def is_in(text: str) -> bool:
    return _ANY.search(readings(text)) is not None


def readings(text: str) -> str:
    """The text, followed by the lines that read otherwise where encodings, ciphers, lookalikes, underscores,
    leetspeak, spaced letters and traditional characters are undone.

    One round of it, where the comparison of claims takes three, and every word with a digit: a claim must not become
    another by it, while here nothing is lost.
    """
    plain = simplified(lookalikes.folded(plain_letters(decoded(text))))
    plain = respaced(plain) if _SPACED.search(plain) else plain
    plain = _MIXED.sub(lambda word: word[0].translate(_LEET), plain)
    if deciphered := ciphers.uncovered(text):
        plain = f"{plain}\n{deciphered}"
    if plain == text:
        return text
    lines = {*text.split("\n"), *(text.translate(_WIDE_SIGNS).split("\n") if not text.isascii() else ())}
    return "\n".join([text, *(line for line in plain.split("\n") if line not in lines)])
