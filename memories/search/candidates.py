"""Candidate retrieval: the best passages by words and by meaning, and their neighbours, in one SQL statement."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.db import connection

from memories.search.plan import SearchPlan
from memories.search.ranking import Candidate, Word
from memories.values.decay import SalienceAt
from memories.values.text import UNSPACED

STATEMENT = Path(__file__).with_name("statement.sql")
OF_PASSAGE, OF_VECTOR = ("scope", "sensitivity", "type"), ("scope", "sensitivity")  # columns copied from the memory
INDEXED = {"scope": "ARRAY[{column}] && {value}::text[]"}  # in the form of the index passage_search


@dataclass(frozen=True)
class Pool:
    """The candidates of a search. `words`: those of the question, with how rare each is in what the caller may see."""

    candidates: list[Candidate]
    words: list[Word]


def pool(plan: SearchPlan) -> Pool:
    """Read the candidates of a search. Trust, scope, status and time are filtered before ranking and counting."""
    if plan.question.is_empty:
        return Pool([], [])
    with connection.cursor() as cursor:
        cursor.execute(statement(plan), plan.parameters())
        rows = cursor.fetchall()
    idfs, rarities = map(_numbers, rows[0][-2:]) if rows else ([], [])
    whole = [not UNSPACED.search(word) for word in plan.question.words]
    words = [Word(*word) for word in zip(idfs, rarities, whole, strict=True)] if idfs else []
    return Pool([Candidate(*row[:-2]) for row in rows], words)


def _numbers(column: str | None) -> list[float]:
    return [float(value) for value in (column or "").split()]


def statement(plan: SearchPlan) -> str:
    """Join the parts of statement.sql that the plan needs."""
    few = ", few memories wanted" if plan.wants_few else ""
    parts = {"matched": f"matched{few}"}
    parts |= {name: name for name in ("masks", "frequencies", "words", "weights")}
    parts["by_words"] = f"by_words{few}"
    if not few:
        parts["nearest"] = "nearest, by index" if plan.uses_index else "nearest"
    parts |= {"by_meaning": f"by_meaning{few}", "around": "around"}
    sql = _parts()
    before = ", ".join(f"{name} AS MATERIALIZED ({sql[part]})" for name, part in parts.items())
    return f"WITH {before} {sql['candidates']}".format(
        mask=_mask(len(plan.question.words)),
        passage=plan.filter.on(OF_PASSAGE).sql("p", INDEXED),
        vector=plan.filter.on(OF_VECTOR).sql("v"),
        memory=plan.filter.sql("m"),
        rest_of_memory=plan.filter.without(OF_PASSAGE).sql("m"),
        salience=SalienceAt.sql("m"),
        dimensions=0 if plan.question.vector is None else len(plan.question.vector),
    )


@cache
def _parts() -> dict[str, str]:
    """The parts of statement.sql by name, without comments."""
    _, *pairs = re.split(r"^-- part: (.+)$", STATEMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    texts = (re.sub(r"^--.*\n", "", text, flags=re.MULTILINE).strip() for text in pairs[1::2])
    return dict(zip(pairs[::2], texts, strict=True))


def _mask(words: int) -> str:
    """SQL for a bit mask of the question's words that the passage p holds."""
    bits = (f"(p.search @@ %(word{n})s::tsquery)::int::bigint << {n}" for n in range(words))
    return " | ".join(f"({bit})" for bit in bits) or "0"
