"""Candidate retrieval: the best passages by words and by meaning, and their neighbours, in one SQL statement."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from memories.lexicon import chinese_words
from memories.search.filters import INDEXED, OF_PASSAGE, OF_VECTOR
from memories.search.plan import SearchPlan
from memories.search.ranking import NO_REPEATS, Candidate
from memories.search.relevance import Word
from memories.values.decay import SalienceAt
from memories.values.text import UNSPACED

STATEMENT = Path(__file__).with_name("statement.sql")
WORDS_OF_MASK = 60  # bits of a bigint that are used
MATCHED = Candidate._fields.index("matched")
MOST_READ = 400  # characters of a text that the late interaction reads
# What lies in the asked scopes, and what is shared: by its share, by the scope of its vector, the most of a pool, and
# the share as a number, which must not be one of arbitrary precision: made a float in each row, it takes 1 ms of 7.
CROWDS = [
    ("share = 1", "v.scope = ANY(%(asked_scopes)s)", "%(pool)s", "1::float8"),
    ("share < 1", "v.scope = ANY(%(shared_scopes)s)", "%(shared_pool)s", "%(shared)s::float8"),
]
# Stems of words that questions on any subject hold.
ASKING_WEIGHT = 0.1
ASKING_STEMS = frozenset(
    {"anyon", "anyth", "call", "chang", "comput", "convert", "defin", "describ", "differ", "discuss", "explain", "find"}
    | {"form", "get", "give", "happen", "help", "kind", "know", "list", "long", "made", "make", "mani", "mention"}
    | {"much", "need", "recent", "said", "say", "show", "solv", "someon", "someth", "summar", "summaris", "talk"}
    | {"tell", "thing", "translat", "type", "use", "want", "work", "write"}
)
POOLS = {
    False: "(VALUES (true, true, %(pool)s), (false, true, %(pool)s)) AS pools (is_word, is_asked, most)",
    True: """(VALUES
        (true, true, %(pool)s), (true, false, %(shared_pool)s), (false, true, %(pool)s), (false, false, %(shared_pool)s)
    ) AS pools (is_word, is_asked, most)""",
}


@dataclass(frozen=True)
class Pool:
    """The candidates of a search. `words`: those of the question, with how rare each is in what the caller may see.
    `embedded_share`: the share of the question that the model of the vectors knows the meaning of.
    """

    candidates: list[Candidate]
    words: list[Word]
    embedded_share: float = 1.0


def pool(plan: SearchPlan) -> Pool:
    """Read the candidates of a search. Trust, scope, status and time are filtered before ranking and counting."""
    if plan.question.is_empty:
        return Pool([], [])
    totals, rows = _read(plan)
    if totals[-1]:
        totals, rows = _read(replace(plan, looks_far=True))
    idfs, rarities = map(_numbers, totals[-3:-1])
    names = plan.question.words
    weighted_rarities = (rarity * _word_weight(name) for rarity, name in zip(rarities, names, strict=False))
    words = [Word(*word) for word in zip(idfs, weighted_rarities, map(_is_whole, names), strict=True)] if rows else []
    bigrams = {n: name for n, name in enumerate(names) if not _is_whole(name)}
    candidates = [_candidate(row, bigrams, many=len(names) > WORDS_OF_MASK) for row in rows]
    return Pool(candidates, words, plan.question.embedded_share)


def _read(plan: SearchPlan) -> tuple[tuple[Any, ...], list[tuple[Any, ...]]]:
    """The row of totals, whose passage is NULL, and the rows of passages."""
    with connection.cursor() as cursor:
        cursor.execute(statement(plan), plan.parameters())
        totals, *rows = sorted(cursor.fetchall(), key=lambda row: row[0] is not None)
    return totals, rows


def _candidate(row: tuple[Any, ...], bigrams: Mapping[int, str], *, many: bool) -> Candidate:
    """`row`: the fields of Candidate (`matched` an array if `many` words), the text, and three columns of totals."""
    fields, text = row[:-4], row[-4] or ""
    if many:
        fields = (*fields[:MATCHED], _number(fields[MATCHED]), *fields[MATCHED + 1 :])
    repeat_counts = _repeat_counts(text, fields[MATCHED], bigrams) if bigrams else NO_REPEATS
    return Candidate._make((*fields, repeat_counts, text[:MOST_READ], len(text)))


def _repeat_counts(text: str, matched: int, bigrams: Mapping[int, str]) -> dict[int, int]:
    """How often each matched bigram of the question stands in the text; only those that stand there more than once."""
    matched_bigrams = (n for n in bigrams if matched >> n & 1)
    return {n: times for n in matched_bigrams if (times := text.count(bigrams[n])) > 1}


def _word_weight(word: str) -> float:
    """The weight of a word of the question: ASKING_WEIGHT for "find", "tell", 什么; 0 for punctuation; else 1."""
    is_asking = word in ASKING_STEMS or not chinese_words.ASKING.isdisjoint(word)
    return ASKING_WEIGHT if is_asking else float(any(map(str.isalnum, word)))


def _is_whole(word: str) -> bool:
    return not UNSPACED.search(word)


def _number(mask: list[int]) -> int:
    """The bits of a mask as one number."""
    return sum(part << WORDS_OF_MASK * n for n, part in enumerate(mask))


def _numbers(column: str | None) -> list[float]:
    return [float(value) for value in (column or "").split()]


def statement(plan: SearchPlan) -> str:
    """Join the parts of statement.sql that the plan needs."""
    few = ", few memories wanted" if plan.wants_few else ""
    parts = {"matched": f"matched{few}"}
    parts |= {name: name for name in ("masks", "frequencies", "words", "weights")}
    if few:
        parts |= {name: name for name in ("by_words", "by_meaning")}
    else:
        parts["nearest"] = "nearest, by index" if plan.index else "nearest"
    parts["best"] = f"best{few}"
    if plan.may_end_early:
        parts["ends_early"] = "ends_early"
    sql = _parts()
    tables = plan.former.tables if plan.former else ""
    rest = plan.filter if plan.former else plan.filter.without(OF_PASSAGE)  # its passage is as secret as it is today
    before = ", ".join(f"{name} AS MATERIALIZED ({_of_crowds(sql[part], plan)})" for name, part in parts.items())
    return f"WITH {tables}{before} {sql['candidates']}".format(
        mask=_mask(len(plan.question.words)),
        holds=_holds(len(plan.question.words)),
        pools=POOLS[plan.asked_scopes is not None],
        passage=plan.filter.on(OF_PASSAGE).sql("p", INDEXED),
        vector=plan.filter.on(OF_VECTOR).sql("v"),
        memory=plan.filter.sql("m"),
        rest_of_memory=rest.sql("m"),
        salience=SalienceAt.sql("m"),
        share=_share(plan, "p"),
        share_of_vector=_share(plan, "v"),
        text=_text(plan.question.words),
        ends_early="EXISTS (SELECT FROM ends_early)" if plan.may_end_early else "false",
        dimensions=0 if plan.question.vector is None else len(plan.question.vector),
    )


@cache
def _parts() -> dict[str, str]:
    """The parts of statement.sql by name, without comments."""
    _, *pairs = re.split(r"^-- part: (.+)$", STATEMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    texts = (re.sub(r"^--.*\n", "", text, flags=re.MULTILINE).strip() for text in pairs[1::2])
    return dict(zip(pairs[::2], texts, strict=True))


def _text(words: Sequence[str]) -> str:
    """SQL for as much of a passage's text as the ranking reads: all of it where bigrams may be repeated."""
    if not all(map(_is_whole, words)):
        return "p.text"
    if not settings.SEARCH_WEIGHTS["pieces"]:
        return "NULL::text"
    return f"CASE WHEN octet_length(p.text) > {MOST_READ} THEN left(p.text, {MOST_READ}) ELSE p.text END"


def _of_crowds(part: str, plan: SearchPlan) -> str:
    """A part of the statement, where scopes were asked once for what lies in them and once for what is shared."""
    if "{crowd" not in part:
        return part
    crowds = [("true", "true", "%(pool)s", "1::float8")] if plan.asked_scopes is None else CROWDS
    names = ("{crowd}", "{crowd_of_vector}", "{pool}", "{share_of_crowd}")
    texts = [reduce(lambda text, pair: text.replace(*pair), zip(names, crowd, strict=True), part) for crowd in crowds]
    return texts[0] if len(texts) == 1 else " UNION ALL ".join(f"({text})" for text in texts)


def _share(plan: SearchPlan, row: str) -> str:
    """SQL for the least share of its score that a row keeps: 1 of what lies in the asked scopes."""
    if plan.asked_scopes is None:
        return "1::float8"
    return f"(CASE WHEN {row}.scope = ANY(%(asked_scopes)s) THEN 1::float8 ELSE %(shared)s::float8 END)"


def _mask(words: int) -> str:
    """SQL for the bits of the question's words that the passage p holds: a bigint, of many words an array of them."""
    bits = [f"((p.search @@ %(word{n})s::tsquery)::int::bigint << {n % WORDS_OF_MASK})" for n in range(words)]
    parts = [" | ".join(bits[start : start + WORDS_OF_MASK]) for start in range(0, words, WORDS_OF_MASK)]
    return f"ARRAY[{', '.join(parts)}]" if len(parts) > 1 else f"({''.join(parts) or '0::bigint'})"


def _holds(words: int) -> str:
    """SQL for whether the mask of a row of `masks` has a bit."""
    if words <= WORDS_OF_MASK:
        return "masks.mask >> bit & 1 = 1"
    return f"masks.mask[bit / {WORDS_OF_MASK} + 1] >> (bit %% {WORDS_OF_MASK}) & 1 = 1"
