"""Marks of a text beside its tokens: all of its letters in a row, and the rare identifiers in it.

By the first a text is known again however its words are spaced or joined, by the others one that speaks of the same
account, phone number, e-mail address or order in other words.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator

from memories.claims import leet
from memories.claims.claim import ACCOUNT, IDENTIFIER, WHOLE
from memories.claims.pieces import EMAIL, URL
from memories.lexicon.english_words import SERIES, SERIES_OR_VERBS

LEAST_WHOLE, LONGEST_WHOLE = 6, 200  # letters
LONGEST_SEARCHED = 20_000  # characters
LEAST_DIGITS = 5  # of a number that is rare
LEAST_OF_ACCOUNT = 10  # letters and digits of an identifier that is of one account, whoever it is said to belong to
_SIGNS = "%$€£¥₹<>=≠→"  # they make a difference, as do some others beside digits: 3.5, -5, C++
_DIFFERENT = re.compile(rf"[\d{_SIGNS}+#]")
_SAID = re.compile(rf"(?<=\d)[.,:-](?=\d)|(?<![\w.,:-])-(?=\d)|(?<=\w)[+#]+(?![\w+#])|[{_SIGNS}]|[^\W_]+")
_DATE = re.compile(r"\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|(?:19|20)\d\d[-./](?:\d{1,2}[-./]\d{1,2}|(?:19|20)\d\d)")
_FOUR_DIGITS = re.compile(r"\d(?:[ ./()-]{0,2}\d){3}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBERED = re.compile(r"(?P<word>[A-Za-z]+)[\s.:#№-]{1,3}$")
_SERIES = SERIES | SERIES_OR_VERBS | {"no", "nr", "number", "code", "id", "ref"}
ADDRESS = re.compile(f"{EMAIL}|{URL}")
_BEFORE, _BEHIND = r"(?<![A-Za-z0-9.,/$€£¥₹-])", r"(?![A-Za-z0-9%,]|\.\d)"
_IDENTIFIER = re.compile(
    rf"""{_BEFORE}(?:
      [A-Za-z]{{2}}\d{{2}}(?:[ ]?[A-Za-z0-9]{{4}}){{2,7}}(?:[ ]?[A-Za-z0-9]{{1,4}})?  # IBAN
    | [+(]{{0,2}}\d{{1,12}}\)?(?:[ ./-]\(?\d{{2,12}}\)?){{0,7}}  # in groups
    | (?=[A-Za-z-]{{0,40}}\d)[A-Za-z0-9]+(?:-[A-Za-z0-9]+){{0,8}}
    ){_BEHIND}""",
    re.VERBOSE,
)


def marks(plain: str) -> Iterator[str]:
    """Yield "kind:value" of a deobfuscated text."""
    plain = plain.replace(leet.MARK, "")
    whole = letters_in_a_row(plain)
    if len(whole) >= LEAST_WHOLE:
        long = len(whole) > LONGEST_WHOLE
        yield f"{WHOLE}:{hashlib.sha256(whole.encode('utf-8', 'surrogatepass')).hexdigest() if long else whole}"
    for value in identifiers(plain[:LONGEST_SEARCHED]):
        yield f"{IDENTIFIER}:{value}"
        if len(value) >= LEAST_OF_ACCOUNT and sum(map(str.isdecimal, value)) >= LEAST_OF_ACCOUNT - 2:
            yield f"{ACCOUNT}:{value}"


def letters_in_a_row(plain: str) -> str:
    """Letters and digits in lower case, without accents, and the signs that make a difference."""
    said = plain.casefold()
    row = "".join(_SAID.findall(said) if _DIFFERENT.search(said) else filter(str.isalnum, said))
    if not row.isascii():
        row = "".join(char for char in unicodedata.normalize("NFKD", row) if not unicodedata.combining(char))
    return row


def identifiers(plain: str) -> set[str]:
    """Rare identifiers, in lower case and without the signs that group them."""
    addresses = ADDRESS.findall(plain) if "@" in plain or "www." in plain or "://" in plain else []
    found = {re.sub(r"^(?:https?://)?(?:www\.)?", "", one.casefold().rstrip(".,;:!?/")) for one in addresses}
    if _FOUR_DIGITS.search(plain):
        rest = ADDRESS.sub(" ", plain) if addresses else plain
        found.update(value for match in _IDENTIFIER.finditer(rest) for value in _values(match))
    return found


def _values(match: "re.Match[str]") -> Iterator[str]:
    written = match[0].casefold()
    if len(written) == 4 and written.isdecimal():
        before = _NUMBERED.search(match.string[max(0, match.start() - 20) : match.start()])
        if before and before["word"].casefold() in _SERIES and not _YEAR.fullmatch(written):
            yield written
        return
    parts = [part for part in written.split(" ") if not _DATE.fullmatch(part)]
    bare = [re.sub(r"[\W_]", "", part) for part in ("".join(parts), *parts)]
    yield from (one for one in dict.fromkeys(bare) if _is_rare(one))


def _is_rare(bare: str) -> bool:
    """Whether so many digits are of one thing only; a round number is an amount."""
    digits = sum(map(str.isdecimal, bare))
    if bare.isdecimal():
        return digits >= LEAST_DIGITS and not bare.endswith("000")
    prefix = len(bare) - len(bare.lstrip("abcdefghijklmnopqrstuvwxyz"))
    named = digits == 4 and prefix > 1 and bare[prefix:].isdecimal() and not _YEAR.fullmatch(bare[prefix:])
    return digits >= LEAST_DIGITS or named
