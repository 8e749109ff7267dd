"""A filter passes the same rows as ORM and as SQL, and those that a plain reading of the request passes."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from memories.models import Memory
from memories.models.passage import of_memories, write
from memories.search import SearchRequest, check, filters
from memories.search.filters import INDEXED, OF_PASSAGE
from memories.values.choices import ActorKind, Status, Type
from memories.values.conditions import Filter, where
from memories.values.trust import Actor, Trust
from tests.make import AT, make_memory

SCOPES, SOURCES, TAGS = ["", "global", "project:a", "project:b"], ["billing", "triage"], ["x", "y", "z"]
TYPES = [Type.SEMANTIC.value, Type.COMPETENCE.value, Type.PLAN_GRAPH.value]
LEVELS, PERCENTS = st.integers(0, 4), st.integers(0, 100)
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # to shrink a failure takes minutes: every example fills tables
MOMENTS = st.sampled_from([None, None, None, AT - timedelta(days=1), AT, AT + timedelta(days=1)])
MAYBE_NAMED = st.none() | st.sampled_from(["", *SOURCES])
ROW = st.fixed_dictionaries(
    {
        "scope": st.sampled_from(SCOPES),
        "sensitivity": LEVELS,
        "type": st.sampled_from(TYPES),
        "status": st.sampled_from([*Status.values, *[Status.CONFIRMED.value] * 10]),
        "source": st.sampled_from(SOURCES),
        "company_id": MAYBE_NAMED,
        "thread_id": MAYBE_NAMED,
        "category": st.sampled_from([None, "fact", "preference"]),
        "tags": st.lists(st.sampled_from(TAGS), unique=True),
        "confidence": PERCENTS,
        "salience": st.floats(0, 1),
        "salience_at": st.sampled_from([AT - timedelta(days=30), AT]),
        "expires_at": MOMENTS,
        "valid_from": MOMENTS,
        "valid_to": MOMENTS,
        "flags": st.sampled_from([[], ["secret"]]),
        "withheld_from": st.sampled_from([[], [], ["project:a"], ["project:a", "project:b"]]),
        "hold": st.sampled_from(["", "floor"]),
        "payload": st.sampled_from([{}, {"skill": {}}, {"skill": {"path": "a"}}, {"skill": {"path": None}}]),
    }
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "types": st.lists(st.sampled_from(TYPES), unique=True),
    "statuses": st.lists(st.sampled_from(Status.values), unique=True, max_size=4),
    "categories": st.lists(st.sampled_from(["fact", "preference"]), unique=True),
    "tags": st.lists(st.sampled_from(TAGS), unique=True, min_size=1, max_size=2),
    "source": st.sampled_from(SOURCES),
    "company_id": st.sampled_from(SOURCES),
    "thread_id": st.sampled_from(SOURCES),
    "scopes": st.lists(st.sampled_from(SCOPES), unique=True),
    "max_sensitivity": st.sampled_from(["low", "high", "hyper"]),
    "min_salience": st.floats(0, 1),
    "min_confidence": PERCENTS,
    "include_candidates": st.booleans(),
}
ASKED = st.lists(st.sampled_from(sorted(FIELDS)), unique=True, max_size=2).flatmap(
    lambda names: st.fixed_dictionaries({name: FIELDS[name] for name in names})
)  # with more at once nearly nothing passes
TRUST = st.builds(
    lambda level, scopes, may, kind: Trust(
        Actor(kind, "ada", "ada"), level, scopes and frozenset(scopes), permissions=frozenset(may)
    ),
    st.sampled_from([1, 2, 3, 4]),
    st.none() | st.lists(st.sampled_from(SCOPES), min_size=1),
    st.sampled_from([[], [], ["review"]]),
    st.sampled_from([ActorKind.AGENT, ActorKind.AGENT, ActorKind.PERSON]),
)


def by_orm(found: Filter) -> set[UUID]:
    return set(Memory.objects.filter(found.q()).values_list("pk", flat=True))


def by_sql(found: Filter) -> set[UUID]:
    return _ids(f"SELECT m.id FROM memories_memory m WHERE {found.sql('m')}", found)


def by_sql_of_passages(found: Filter) -> set[UUID]:
    """As a search joins them: what passages have of the memory is asked of the passage, as its index has it."""
    of_passage = found.on(OF_PASSAGE).sql("p", INDEXED)
    passages = f"SELECT p.memory_id FROM memories_passage p WHERE {of_passage}"
    return _ids(f"SELECT m.id FROM memories_memory m WHERE {found.sql('m')} AND m.id IN ({passages})", found)


def _ids(sql: str, found: Filter) -> set[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"at": AT, **found.values()})
        return {id for (id,) in cursor.fetchall()}


def is_withheld(row: Memory, trust: Trust) -> bool:
    """Dismissed where the caller reads; who reads in all scopes reads in each, unless a person vouches for it."""
    if trust.scopes is None:
        return bool(row.withheld_from) and row.hold != "floor"
    return not trust.scopes.isdisjoint(row.withheld_from)


def decides(trust: Trust) -> bool:
    return trust.actor.kind == ActorKind.PERSON or (trust.scopes is None and "review" in trust.permissions)


def passes(row: Memory, request: SearchRequest, trust: Trust) -> bool:
    """The request as a person reads it, but for what is withheld."""
    statuses = {*(request.statuses or ("confirmed", "applied"))}
    statuses |= {"candidate", "contested"} if request.include_candidates else set()
    exact = all(getattr(request, name) in (None, getattr(row, name)) for name in ("source", "company_id", "thread_id"))
    return (
        trust.sees(row)
        and row.status in statuses
        and (row.expires_at is None or row.expires_at > AT)
        and (row.valid_from is None or row.valid_from <= AT)
        and (row.valid_to is None or row.valid_to > AT)
        and row.type in (request.types or TYPES)
        and (not request.categories or row.category in request.categories)
        and set(request.tags) <= set(row.tags)
        and exact
        and row.confidence >= request.min_confidence
        and row.salience_on(AT) >= request.min_salience
    )


class Renderings(TestCase):
    @settings(max_examples=30, deadline=None, phases=PHASES)
    @given(st.lists(ROW, min_size=1, max_size=12), st.lists(st.tuples(ASKED, TRUST), min_size=8, max_size=8))
    def test_a_search_passes_the_same_memories_in_each_rendering(
        self, rows: list[dict[str, Any]], requests: list[tuple[dict[str, Any], Trust]]
    ) -> None:
        memories = self.stored(rows)
        for body, trust in requests:
            request = check(body)
            narrowed = request.narrows(trust)
            found = filters.of_search(request, narrowed, AT)
            offered = [row for row in memories if decides(narrowed) or not is_withheld(row, narrowed)]
            expected = {row.pk for row in offered if passes(row, request, narrowed)}
            assert by_orm(found) == by_sql(found) == by_sql_of_passages(found) == expected

    @settings(max_examples=20, deadline=None, phases=PHASES)
    @given(st.lists(ROW, min_size=1, max_size=12), TRUST, st.lists(st.sampled_from(SOURCES), unique=True))
    def test_a_context_passes_the_same_memories_in_each_rendering(
        self, rows: list[dict[str, Any]], trust: Trust, companies: list[str]
    ) -> None:
        memories, found = self.stored(rows), filters.of_context(trust, companies, AT)
        expected = {
            row.pk
            for row in memories
            if passes(row, SearchRequest(), trust)
            and not row.flags
            and not is_withheld(row, trust)
            and (row.company_id or "") in ["", *companies]
            and (row.type == Type.SEMANTIC or (row.type == Type.COMPETENCE and "path" in row.payload.get("skill", {})))
        }
        assert by_orm(found) == by_sql(found) == by_sql_of_passages(found) == expected

    def stored(self, rows: list[dict[str, Any]]) -> list[Memory]:
        for row in rows:
            row["category"] = row["category"] if row["type"] == Type.SEMANTIC else None  # of no other type
        memories = [make_memory(f"Acme pays {n}", **row) for n, row in enumerate(rows)]
        write(of_memories(memories))
        return memories


def test_two_values_for_one_parameter_are_refused() -> None:
    with pytest.raises(ValueError, match="source__exact"):
        where(source="billing") & where(source="triage")
