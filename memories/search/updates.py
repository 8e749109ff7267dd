"""Which of two memories is the newer state of the same thing: "moved from X to Y", "now prefers", 现在改成; and which
say the same. Pure.

Until a person has decided, both are offered: the newer one first, the older one with `until`. What one agent alone says
against what several said, or a person decided, ends nothing unless it says that it is new: it stands behind that.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import combinations
from typing import TypeVar

from memories import claims, embedding
from memories.claims import Claim, Likeness
from memories.lexicon import chinese_words, english_words
from memories.models import Memory
from memories.values.choices import Origin, Review, Type
from memories.values.search_words import bigrams
from memories.values.speakers import review_of
from memories.values.text import UNSPACED, normal

MOST = 20  # memories that are compared
MOST_GROUPS = 20  # with which a text is compared
LONGEST = 200  # characters; a longer text says more than one thing
COMMON = 0.4  # of the words of the shorter one: fewer say something else, unless the newer one says that it is new
LEAST_SAME = 0.6  # of all words of two texts that may say the same
NEAR = 0.6  # centred similarity of two texts that share no word but their subject
# A language whose grammar is not read: of it only words that mark nothing else.
GERMAN = (
    *("jetzt", "nunmehr", "nicht mehr", "ab sofort", "inzwischen", "mittlerweile", "neuerdings"),
    r"seit (?:(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|gestern|heute|(?:diese|letzte)r woche)",
)
MARKS = re.compile(
    rf"\b(?:{'|'.join((*english_words.UPDATES, *GERMAN))})\b|{'|'.join(chinese_words.UPDATES)}", re.IGNORECASE
)
CONTRAST = re.compile(r", (?:not|instead of|rather than) [^,.;:!?]+$|[，,](?:不是|而不是)[^，,。]+$", re.IGNORECASE)
AT_ITS_END = re.compile(r"\s*(?:[.!?;]|$)")
VERB_ALONE = re.compile("|".join(english_words.VERBS_AFTER_SUBJECTS))
VERB = re.compile(rf"[a-z]+[^s\W]s|{VERB_ALONE.pattern}")
CHINESE_VERB = re.compile(rf"[^\W_]{{2,}}?(?:{chinese_words.VERBS_AFTER_SUBJECTS})")
WORDS = re.compile(r"[^\W_]+")
VALUES = frozenset({"number", "date", "time", "unit", "email", "url", "code", "version"})
Row = TypeVar("Row")


def newest_first(rows: Sequence[Row], memory: Callable[[Row], Memory]) -> list[tuple[Row, datetime | None]]:
    """The rows in their order, but each newer state in front of the older ones of the same; these with its time."""
    kept, until = list(rows), dict[int, datetime]()
    for old, new in _pairs(rows, memory):
        ends = not _is_outspoken(memory(old), memory(new))
        first, second = (new, old) if ends else (old, new)
        if ends:
            at = memory(new).created_at
            until[id(old)] = min(at, until.get(id(old), at))
        if kept.index(first) > kept.index(second):
            kept.remove(first)
            kept.insert(kept.index(second), first)
    return [(row, until.get(id(row))) for row in kept]


def _is_outspoken(old: Memory, new: Memory) -> bool:
    """Whether more stand behind the older one than the one agent that says otherwise, and not that this is new."""
    alone = review_of(new) == Review.ONE_AGENT and review_of(old) != Review.ONE_AGENT
    return alone and not MARKS.search(new.content)


def by_claim(rows: Sequence[Row], text: Callable[[Row], str]) -> list[list[Row]]:
    """The rows in groups that say the same, in the order of their first ones; those without a text are alone."""
    groups: list[list[Row]] = []
    for row in rows:
        words = text(row)
        same = next((group for group in groups[:MOST_GROUPS] if words and _is_same(text(group[0]), words)), None)
        if same is None:
            groups.append([row])
        else:
            same.append(row)
    return groups


def _is_same(one: str, other: str) -> bool:
    """Of long texts only those in the same words."""
    if _plain(one) == _plain(other):
        return True
    first, second = _words(one), _words(other)
    both = len(first & second)
    if max(len(one), len(other)) > LONGEST or both < LEAST_SAME * (len(first) + len(second) - both):
        return False
    return claims.compare(_claim(one), _claim(other)) == Likeness.SAME


@lru_cache(maxsize=2_000)
def _plain(text: str) -> str:
    return " ".join(normal(text).casefold().split()).rstrip(" .!。！")


def _pairs(rows: Sequence[Row], memory: Callable[[Row], Memory]) -> list[tuple[Row, Row]]:
    """Each older row with a newer one. What does not say that it is new replaces one other: more are a list."""
    stated = [row for row in rows[:MOST] if _is_stated(memory(row))]
    dated = sorted(stated, key=lambda row: (memory(row).created_at, memory(row).pk))
    pairs = []
    for old, new in combinations(dated, 2):
        one, other = memory(old), memory(new)
        if _share(one.content, other.content) and (one.scope, one.company_id) == (other.scope, other.company_id):
            pairs += [(old, new)] if replaces(other.content, one.content) else []
    unsaid = [pair for pair in pairs if not MARKS.search(memory(pair[1]).content)]
    met = Counter(id(row) for pair in unsaid for row in pair)
    listed = {pair for pair in map(_ids, unsaid) if max(met[identifier] for identifier in pair) > 1}
    return [pair for pair in pairs if _ids(pair) not in listed]


def _ids(pair: tuple[Row, Row]) -> tuple[int, int]:
    return id(pair[0]), id(pair[1])


def _is_stated(memory: Memory) -> bool:
    """Whether it is knowledge that somebody stated, not found by rules, and short."""
    is_found = memory.origin in Origin.of_rules()
    return memory.type == Type.SEMANTIC and not is_found and len(memory.content) <= LONGEST


def replaces(new: str, old: str) -> bool:
    """Whether a text tells another state of what an older one tells."""
    mark = MARKS.search(new)
    if len({CONTRAST.search(text) is None for text in (new, old)}) > 1:  # "day first, not month first" denies nothing
        new, old = CONTRAST.sub("", new), CONTRAST.sub("", old)
    if claims.compare(_claim(old), _claim(new)) == Likeness.CHANGED:
        return True
    if mark is None:
        return False
    before, after = new[: mark.start()], new[mark.end() :]
    if UNSPACED.search(new):
        return _goes_on_in_chinese(before, mark[0], after, old)
    return _goes_on(before, new, old) or (AT_ITS_END.match(after) is not None and _goes_on_to_its_end(before, new, old))


def _goes_on(subject: str, new: str, old: str) -> bool:
    """Whether the older text says what stands before the mark, and more of the newer one, or something near it."""
    about, stated, known = _claim(subject).tokens - english_words.STOP, _claim(new).tokens, _claim(old).tokens
    if not subject.strip() or not about:
        return len(stated & known) > 1
    more = stated & known - about or _values(new) & _values(old)
    return about <= known and (bool(more) or _alike(new, old) >= NEAR)


def _goes_on_to_its_end(before: str, new: str, old: str) -> bool:
    """Whether the older text says the subject and the verb of a sentence that ends with the mark."""
    said = re.split(r"[.!?;]\s", before)[-1].split()
    for place in range(1, len(said)):
        if VERB.fullmatch(said[place]) and not VERB_ALONE.fullmatch("".join(said[place + 1 : place + 2])):
            about = _claim(" ".join(said[:place])).tokens - english_words.STOP
            return bool(about) and about < _claim(new).tokens & _claim(old).tokens
    return False


def _goes_on_in_chinese(before: str, mark: str, after: str, old: str) -> bool:
    """The same; where the mark opens or ends what is said, the subject is what stands before the verb."""
    new = before + mark + after
    about = re.split(f"[{chinese_words.BEFORE_UPDATES}]", "".join(UNSPACED.findall(before)))[0]
    said = CHINESE_VERB.match(f"{before}{after}".strip("，, "))
    if said and said[0] in old:
        return True
    if not about or about not in old:
        return False
    more = set(bigrams(new)) & set(bigrams(old)) - set(bigrams(about)) or _values(new) & _values(old)
    return bool(more) or (mark[0] == chinese_words.MOVES and chinese_words.IS_AT in old)


def _share(old: str, new: str) -> bool:
    """Whether they say so many of the same words that a comparison is worth its time."""
    first, second = _words(old), _words(new)
    both = len(first & second)
    return both > 0 and (both >= COMMON * min(len(first), len(second)) or MARKS.search(new) is not None)


@lru_cache(maxsize=2_000)
def _words(text: str) -> frozenset[str]:
    return frozenset((*WORDS.findall(UNSPACED.sub(" ", text.lower())), *bigrams(text))) - english_words.STOP


@lru_cache(maxsize=2_000)
def _claim(text: str) -> Claim:
    return claims.claim_of(text)


def _values(text: str) -> frozenset[str]:
    """Kinds of values that a text names."""
    return VALUES & {hard.partition(":")[0] for hard in _claim(text).hard}


def _alike(one: str, other: str) -> float:
    model = embedding.built_in()
    return embedding.centred_similarity(*model.embed([one, other]), mean=model.mean)
