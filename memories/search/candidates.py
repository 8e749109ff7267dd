"""The pool that is ranked: the best passages by words, the best by meaning, and their neighbours. One statement.

Trust, scope, status and time are asked before anything is ranked or counted. `LATERAL (... OFFSET 0)` stands where the
planner has no choice: it would read whole tables for want of statistics of what was just computed.
"""

from dataclasses import dataclass

from django.conf import settings
from django.db import connection

from memories.indexing import ann_index
from memories.search.ranking import FEW, Candidate, Word
from memories.search.statement_values import SALIENCE, Asking
from memories.values.text import UNSPACED

ENOUGH = 5_000  # nearest passages among which the memories asked for are looked for
PLACE = "p.id, p.memory_id, p.position"


@dataclass(frozen=True)
class Pool:
    """`words`: those of the question, with how telling each is among what the caller may see."""

    candidates: list[Candidate]
    words: list[Word]


def pool(asking: Asking) -> Pool:
    if asking.question.says_nothing:
        return Pool([], [])
    with connection.cursor() as cursor:
        cursor.execute(statement(asking), asking.values())
        rows = cursor.fetchall()
    told = [_numbers(column) for column in rows[0][-2:]] if rows else [[], []]
    whole = [not UNSPACED.search(word) for word in asking.question.words]
    words = [Word(*word) for word in zip(*told, whole, strict=True)] if told[0] else []
    return Pool([Candidate(*row[:-2]) for row in rows], words)


def _numbers(column: str | None) -> list[float]:
    return [float(value) for value in (column or "").split()]


def statement(asking: Asking) -> str:
    parts, found = [], []
    if asking.question.words:
        parts += [_matched(asking), *_told(len(asking.question.words)), _by_words(asking)]
        found.append("SELECT memory_id, position FROM by_words")
    if asking.question.vector is not None:
        parts.append(_by_meaning(asking))
        found.append("SELECT memory_id, position FROM by_meaning")
    return f"WITH {', '.join(parts)}, {_around(' UNION '.join(found))} {_candidates(asking)}"


def _matched(asking: Asking) -> str:
    """The passages that hold one of the words, with which of them they hold."""
    said = ["p.search @@ %(query)s::tsquery", *asking.of_row("p", "ARRAY[{}.scope] && %(scopes)s::text[]")]
    among = "memories_passage p"
    if asking.is_narrow:
        among += " JOIN memories_memory m ON m.id = p.memory_id"
        said += [*asking.of_row("m", "{}.scope = ANY(%(scopes)s)"), *asking.of_memory()]
    most = f" LIMIT {asking.reach.most}" if asking.reach.most else ""
    return _select("matched", f"{PLACE}, {_mask(asking, 'p')} AS mask", f"{among} WHERE {' AND '.join(said)}{most}")


def _told(words: int) -> list[str]:
    """What each word tells, and so each set of words: idf from what matched, or from estimates where those stand."""

    def idf(found: str) -> str:
        return f"ln(1 + (greatest({found} - df, 0) + 0.5) / (df + 0.5))"

    held = "(SELECT sum(n) FROM masks WHERE masks.mask >> bit & 1 = 1)"
    df = f"coalesce((%(holding)s::float8[])[bit + 1], {held}, 0)::float8"
    found = "coalesce(%(found)s::float8, (SELECT sum(n) FROM masks))::float8"
    return [
        _select("masks", "mask, count(*) AS n", "matched GROUP BY mask"),
        _select("held", f"bit, {df} AS df, {found} AS found", f"generate_series(0, {words - 1}) AS bit"),
        _select("told", f"bit, {idf('found')} AS idf, {idf(f'coalesce(found, 0) + {FEW}')} AS rarity", "held"),
        _select("weighed", "mask, sum(idf) AS words", "masks JOIN told ON masks.mask >> bit & 1 = 1 GROUP BY mask"),
    ]


def _by_words(asking: Asking) -> str:
    best = "SELECT memory_id, position, words, id FROM matched JOIN weighed USING (mask) ORDER BY words DESC, id DESC"
    asked = "" if asking.is_narrow else f" CROSS JOIN LATERAL ({_wanted(asking, 'best.memory_id')} OFFSET 0) AS wanted"
    return _select("by_words", "memory_id, position", f"({best} OFFSET 0) AS best{asked} LIMIT %(pool)s")


def _by_meaning(asking: Asking) -> str:
    of_vector = ["v.model = %(model)s", "v.sensitivity <= %(clearance)s"]
    of_vector += ["v.scope = ANY(%(scopes)s)"] if asking.scopes is not None else []
    distance = "v.embedding <#> %(vector)s::halfvec"
    if asking.is_narrow:
        said = [*asking.of_row("m", "{}.scope = ANY(%(scopes)s)"), *asking.of_memory(), *of_vector]
        among = (
            "memories_memory m JOIN memories_passage p ON p.memory_id = m.id JOIN memories_vector v"
            f" ON v.passage_id = p.id WHERE {' AND '.join(said)} ORDER BY {distance} LIMIT %(pool)s"
        )
        return _select("by_meaning", PLACE, among)
    most = ENOUGH
    if asking.by_index:
        size = len(asking.question.vector) if asking.question.vector is not None else 0
        sides = (ann_index.compared(side, size) for side in ("v.embedding", "%(vector)s"))
        distance, most = " <#> ".join(sides), ann_index.NEAREST
    near = (
        f"SELECT v.passage_id, {distance} AS distance FROM memories_vector v WHERE {' AND '.join(of_vector)}"
        f" ORDER BY {distance} LIMIT {most}"
    )
    if asking.by_index:  # which goes on where the filters left too few, and then in an order of about
        near = f"SELECT * FROM ({near}) AS found ORDER BY distance"
    wanted = (
        f"SELECT {PLACE} FROM memories_passage p WHERE p.id = near.passage_id AND EXISTS"
        f" ({_wanted(asking, 'p.memory_id')})" + (" AND p.type = ANY(%(types)s)" if asking.request.types else "")
    )
    among = f"({near}) AS near CROSS JOIN LATERAL ({wanted} OFFSET 0) AS p LIMIT %(pool)s"
    return _select("by_meaning", PLACE, among)


def _wanted(asking: Asking, memory_id: str) -> str:
    said = " AND ".join([f"m.id = {memory_id}", *asking.of_memory()])
    return f"SELECT 1 FROM memories_memory m WHERE {said}"


def _around(found: str) -> str:
    """What was found with the passages before and after it."""
    reach = len(settings.SEARCH_WEIGHTS["neighbours"])
    near = (
        "SELECT p.* FROM memories_passage p WHERE p.memory_id = found.memory_id"
        f" AND p.position BETWEEN found.position - {reach} AND found.position + {reach} OFFSET 0"
    )
    return _select("around", "DISTINCT ON (p.id) p.*", f"({found}) AS found CROSS JOIN LATERAL ({near}) AS p")


def _candidates(asking: Asking) -> str:
    columns = f"{PLACE}, p.part, p.type, p.actor, m.source"
    words = asking.question.words
    told = ", ".join(_listed(name) if words else "NULL" for name in ("idf", "rarity"))
    mask, alike, vector = _mask(asking, "p") if words else "0", "NULL::float8, NULL::float8", ""
    if asking.question.vector is not None:
        near = "FROM memories_vector WHERE passage_id = p.id AND model = %(model)s OFFSET 0"
        vector = f" LEFT JOIN LATERAL (SELECT {_products(asking)} {near}) AS v ON true"
        alike = f"v.cosine, {_similarity(asking)}"
    memory = f"SELECT m.source, m.confidence, {SALIENCE} AS salience FROM memories_memory m WHERE m.id = p.memory_id"
    among = f"around AS p CROSS JOIN LATERAL ({memory} OFFSET 0) AS m{vector}"
    return f"SELECT {columns}, {mask}, {alike}, m.salience, m.confidence, {told} FROM {among}"


def _listed(name: str) -> str:
    return f"(SELECT string_agg({name}::text, ' ' ORDER BY bit) FROM told)"


def _products(asking: Asking) -> str:
    cosine = "-(embedding <#> %(vector)s::halfvec) AS cosine"
    return cosine if asking.centring is None else f"{cosine}, -(embedding <#> %(mean)s::halfvec) AS common"


def _similarity(asking: Asking) -> str:
    """(a - m)(b - m) / |a - m| |b - m| of vectors of length 1, from their products with the question and the mean."""
    if asking.centring is None:
        return "v.cosine"
    length = "sqrt(greatest(1 - 2 * v.common + %(square)s, 1e-6))"
    return f"(v.cosine - v.common - %(offset)s) / (%(length)s * {length})"


def _mask(asking: Asking, row: str) -> str:
    """A bit for each word of the question."""
    checks = (f"({row}.search @@ %(word{n})s::tsquery)::int::bigint << {n}" for n in range(len(asking.question.words)))
    return "(" + " | ".join(f"({check})" for check in checks) + ")"


def _select(name: str, columns: str, among: str) -> str:
    return f"{name} AS MATERIALIZED (SELECT {columns} FROM {among})"
