"""Marks of a text beside its tokens: all of its letters in a row, and the rare identifiers in it.

By the first a text is known again however its words are spaced or joined, by the others one that speaks of the same
account, phone number, e-mail address or order in other words.
"""

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from memories.claims import leet
from memories.claims.claim import ACCOUNT, DENIED, IDENTIFIER, MANNER, NAMED, TOWARD, WHOLE, Claim
from memories.claims.pieces import EMAIL, URL
from memories.claims.qualifiers import OPPOSITE, WITH_PRESENCE
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
    row = letters_in_a_row(plain)
    if len(row) >= LEAST_WHOLE:
        is_long = len(row) > LONGEST_WHOLE
        yield f"{WHOLE}:{hashlib.sha256(row.encode('utf-8', 'surrogatepass')).hexdigest() if is_long else row}"
    for value in identifiers(plain[:LONGEST_SEARCHED]):
        yield f"{IDENTIFIER}:{value}"
        if len(value) >= LEAST_OF_ACCOUNT and sum(map(str.isdecimal, value)) >= LEAST_OF_ACCOUNT - 2:
            yield f"{ACCOUNT}:{value}"


def letters_in_a_row(plain: str) -> str:
    """Letters and digits in lower case, without accents, and the signs that make a difference."""
    folded = plain.casefold()
    row = "".join(_SAID.findall(folded) if _DIFFERENT.search(folded) else filter(str.isalnum, folded))
    if not row.isascii():
        row = "".join(char for char in unicodedata.normalize("NFKD", row) if not unicodedata.combining(char))
    return row


def identifiers(plain: str) -> set[str]:
    """Rare identifiers, in lower case and without the signs that group them."""
    addresses = ADDRESS.findall(plain) if "@" in plain or "www." in plain or "://" in plain else []
    identifiers_found = {
        re.sub(r"^(?:https?://)?(?:www\.)?", "", address.casefold().rstrip(".,;:!?/")) for address in addresses
    }
    if _FOUR_DIGITS.search(plain):
        rest = ADDRESS.sub(" ", plain) if addresses else plain
        identifiers_found.update(value for match in _IDENTIFIER.finditer(rest) for value in _values(match))
    return identifiers_found


def _values(match: "re.Match[str]") -> Iterator[str]:
    written = match[0].casefold()
    if len(written) == 4 and written.isdecimal():
        before = _NUMBERED.search(match.string[max(0, match.start() - 20) : match.start()])
        if before and before["word"].casefold() in _SERIES and not _YEAR.fullmatch(written):
            yield written
        return
    parts = [part for part in written.split(" ") if not _DATE.fullmatch(part)]
    bare = [re.sub(r"[\W_]", "", part) for part in ("".join(parts), *parts)]
    yield from (value for value in dict.fromkeys(bare) if _is_rare(value))


def _is_rare(bare: str) -> bool:
    """Whether so many digits are of one thing only; a round number is an amount."""
    digits = sum(map(str.isdecimal, bare))
    if bare.isdecimal():
        return digits >= LEAST_DIGITS and not bare.endswith("000")
    prefix = len(bare) - len(bare.lstrip("abcdefghijklmnopqrstuvwxyz"))
    is_numbered = digits == 4 and prefix > 1 and bare[prefix:].isdecimal() and not _YEAR.fullmatch(bare[prefix:])
    return digits >= LEAST_DIGITS or is_numbered


def contradict(old: Claim, new: Claim) -> bool:
    """Whether both say something of the same words that cannot hold together: A pays B and B pays A, may and must."""
    denial_differs = is_denied(old) != is_denied(new) and DENIED in old.marks ^ new.marks
    return denial_differs or _is_exchanged(old, new) or _other_manner(old, new) or _other_direction(old, new)


def is_denied(claim: Claim) -> bool:
    return DENIED in claim.marks or any(hard.startswith("negation:") for hard in claim.hard)


def differ(old: Claim, new: Claim) -> bool:
    """Whether one says something that the other does not, by other names in code, or a share or condition."""
    old_names, new_names = old.marks_of(NAMED), new.marks_of(NAMED)
    if old_names - new_names and new_names - old_names:
        return True
    unshared_marks = old.marks_of(MANNER) ^ new.marks_of(MANNER)
    return any(mark.endswith(tuple(f"={value}" for value in WITH_PRESENCE)) for mark in unshared_marks)


def _other_manner(old: Claim, new: Claim) -> bool:
    old_groups, new_groups = _by_group(old), _by_group(new)
    return any(
        old_groups[group].isdisjoint(new_groups[group])
        for group in old_groups.keys() & new_groups.keys() - {"condition"}
    )


def _by_group(claim: Claim) -> defaultdict[str, set[str]]:
    by_group: defaultdict[str, set[str]] = defaultdict(set)
    for mark in claim.marks_of(MANNER):
        group, _, value = mark.partition("=")
        by_group[group.removeprefix(f"{MANNER}:")].add(value)
    return by_group


def _other_direction(old: Claim, new: Claim) -> bool:
    """Whether the same word is led to by opposite prepositions, and by none in both."""
    old_words, new_words = _by_word(old), _by_word(new)
    return any(
        old_words[word].isdisjoint(new_words[word])
        and any((a, b) in OPPOSITE or (b, a) in OPPOSITE for a in old_words[word] for b in new_words[word])
        for word in old_words.keys() & new_words.keys()
    )


def _by_word(claim: Claim) -> defaultdict[str, set[str]]:
    by_word: defaultdict[str, set[str]] = defaultdict(set)
    for mark in claim.marks_of(TOWARD):
        preposition, _, word = mark.partition(":")[2].partition(">")
        by_word[word].add(preposition)
    return by_word


def _is_exchanged(old: Claim, new: Claim) -> bool:
    """Whether words of both stand in each other's places around others that stay: a b c and c b a.

    Words that only moved (a b c and b c a) say the same: "On Mondays she sends the report" ends with Mondays as well.
    """
    old_row, new_row = old.sequence, new.sequence
    common = {*old_row} & {*new_row}
    old_row, new_row = [word for word in old_row if word in common], [word for word in new_row if word in common]
    if len(old_row) != len(new_row) or old_row == new_row:
        return False
    start = next(at for at, (a, b) in enumerate(zip(old_row, new_row, strict=True)) if a != b)
    end = next(at for at, (a, b) in enumerate(zip(old_row[::-1], new_row[::-1], strict=True)) if a != b)
    old_row, new_row = old_row[start : len(old_row) - end], new_row[start : len(new_row) - end]
    return _in_exchanged_places(old_row, new_row) or _around_a_middle(old_row, new_row)


def _in_exchanged_places(words: list[str], other_words: list[str]) -> bool:
    equal_places = sum(a == b for a, b in zip(words, other_words, strict=True))
    return equal_places > 0 and 2 * equal_places >= len(words) - equal_places


def _around_a_middle(words: list[str], other_words: list[str]) -> bool:
    length = len(words)
    for first in range(1, length - 1):
        if words[:first] == other_words[length - first :]:
            for last in range(1, length - first):
                if (
                    words[length - last :] == other_words[:last]
                    and words[first : length - last] == other_words[last : length - first]
                ):
                    return True
    return False
