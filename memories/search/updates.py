"""Which of two memories is the newer state of the same thing: "moved from X to Y", "now prefers", 现在改成; and which
say the same. Pure.

Until a person has decided, both are offered: the newer one first, the older one with `until`. A claim of one agent
alone does not end one that several made or a person decided, unless its text marks an update: it is ranked after it.
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
    """The rows in their order, but each newer state of a thing before the older ones, which get its time as `until`."""
    ordered_rows, until = list(rows), dict[int, datetime]()
    for old, new in _pairs(rows, memory):
        ends = not _is_outweighed(memory(old), memory(new))
        first, second = (new, old) if ends else (old, new)
        if ends:
            at = memory(new).created_at
            until[id(old)] = min(at, until.get(id(old), at))
        if ordered_rows.index(first) > ordered_rows.index(second):
            ordered_rows.remove(first)
            ordered_rows.insert(ordered_rows.index(second), first)
    return [(row, until.get(id(row))) for row in ordered_rows]


def _is_outweighed(old: Memory, new: Memory) -> bool:
    """Whether the newer memory is one agent's alone, the older one is not, and the newer text marks no update."""
    is_one_agents = review_of(new) == Review.ONE_AGENT and review_of(old) != Review.ONE_AGENT
    return is_one_agents and not MARKS.search(new.content)


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


def _is_same(text: str, other_text: str) -> bool:
    """Whether two texts make the same claim; long texts only if they have the same words."""
    if _plain(text) == _plain(other_text):
        return True
    words, other_words = _words(text), _words(other_text)
    common_count = len(words & other_words)
    if max(len(text), len(other_text)) > LONGEST or common_count < LEAST_SAME * (
        len(words) + len(other_words) - common_count
    ):
        return False
    return claims.compare(_claim(text), _claim(other_text)) == Likeness.SAME


@lru_cache(maxsize=2_000)
def _plain(text: str) -> str:
    return " ".join(normal(text).casefold().split()).rstrip(" .!。！")


def _pairs(rows: Sequence[Row], memory: Callable[[Row], Memory]) -> list[tuple[Row, Row]]:
    """Pairs of an older and a newer row of one thing. A text without an update mark may replace one other only: rows in
    several such pairs are a list, as of favourite dishes."""
    stated_rows = [row for row in rows[:MOST] if _is_stated(memory(row))]
    rows_by_age = sorted(stated_rows, key=lambda row: (memory(row).created_at, memory(row).pk))
    pairs = []
    for old_row, new_row in combinations(rows_by_age, 2):
        old, new = memory(old_row), memory(new_row)
        if _have_common_words(old.content, new.content) and (old.scope, old.company_id) == (new.scope, new.company_id):
            pairs += [(old_row, new_row)] if replaces(new.content, old.content) else []
    unmarked_pairs = [pair for pair in pairs if not MARKS.search(memory(pair[1]).content)]
    counts = Counter(id(row) for pair in unmarked_pairs for row in pair)
    list_pairs = {pair for pair in map(_ids, unmarked_pairs) if max(counts[identifier] for identifier in pair) > 1}
    return [pair for pair in pairs if _ids(pair) not in list_pairs]


def _ids(pair: tuple[Row, Row]) -> tuple[int, int]:
    return id(pair[0]), id(pair[1])


def _is_stated(memory: Memory) -> bool:
    """Whether it is short knowledge that somebody stated, not extracted by rules."""
    is_from_rules = memory.origin in Origin.of_rules()
    return memory.type == Type.SEMANTIC and not is_from_rules and len(memory.content) <= LONGEST


def replaces(new: str, old: str) -> bool:
    """Whether `new` states a newer value of what `old` states."""
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
    """Whether the older text holds all words before the mark, and another word or value of the newer text or a similar
    meaning."""
    subject_tokens, new_tokens, old_tokens = (
        _claim(subject).tokens - english_words.STOP,
        _claim(new).tokens,
        _claim(old).tokens,
    )
    if not subject.strip() or not subject_tokens:
        return len(new_tokens & old_tokens) > 1
    further_tokens = new_tokens & old_tokens - subject_tokens or _values(new) & _values(old)
    return subject_tokens <= old_tokens and (bool(further_tokens) or _similarity(new, old) >= NEAR)


def _goes_on_to_its_end(before: str, new: str, old: str) -> bool:
    """Whether the older text holds the subject and the verb of a sentence that ends with the mark."""
    words = re.split(r"[.!?;]\s", before)[-1].split()
    for place in range(1, len(words)):
        if VERB.fullmatch(words[place]) and not VERB_ALONE.fullmatch("".join(words[place + 1 : place + 2])):
            subject_tokens = _claim(" ".join(words[:place])).tokens - english_words.STOP
            return bool(subject_tokens) and subject_tokens < _claim(new).tokens & _claim(old).tokens
    return False


def _goes_on_in_chinese(before: str, mark: str, after: str, old: str) -> bool:
    """As `_goes_on` for Chinese; where the mark begins or ends the sentence, the subject stands before the verb."""
    new = before + mark + after
    about = re.split(f"[{chinese_words.BEFORE_UPDATES}]", "".join(UNSPACED.findall(before)))[0]
    clause = CHINESE_VERB.match(f"{before}{after}".strip("，, "))
    if clause and clause[0] in old:
        return True
    if not about or about not in old:
        return False
    more = set(bigrams(new)) & set(bigrams(old)) - set(bigrams(about)) or _values(new) & _values(old)
    return bool(more) or (mark[0] == chinese_words.MOVES and chinese_words.IS_AT in old)


def _have_common_words(old: str, new: str) -> bool:
    """Whether they have so many words in common that a comparison is worth its time."""
    old_words, new_words = _words(old), _words(new)
    common_count = len(old_words & new_words)
    return common_count > 0 and (
        common_count >= COMMON * min(len(old_words), len(new_words)) or MARKS.search(new) is not None
    )


@lru_cache(maxsize=2_000)
def _words(text: str) -> frozenset[str]:
    return frozenset((*WORDS.findall(UNSPACED.sub(" ", text.lower())), *bigrams(text))) - english_words.STOP


@lru_cache(maxsize=2_000)
def _claim(text: str) -> Claim:
    return claims.claim_of(text)


def _values(text: str) -> frozenset[str]:
    """The kinds of values in a text, as `date` or `url`."""
    return VALUES & {hard.partition(":")[0] for hard in _claim(text).hard}


def _similarity(text: str, other_text: str) -> float:
    model = embedding.built_in()
    return embedding.centred_similarity(*model.embed([text, other_text]), mean=model.mean)
