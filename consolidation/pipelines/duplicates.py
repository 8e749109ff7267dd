"""Proposals to merge memories that claim the same, and to choose between two that contradict each other.

Nothing is merged or closed here: a person sees both texts and decides. Words nominate candidates, the comparison of
claims says which are the same.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from memories import claims, embedding
from memories.claims import Likeness
from memories.intake.claims import nearest
from memories.models import Memory, Proposal, Relation
from memories.models.nominating import nominated
from memories.search import updates
from memories.values import speakers
from memories.values.choices import ActorKind, Hold, Origin, Review, Status, Type
from memories.values.search_words import WORD
from memories.values.trust import Actor, everything

BY = Actor(ActorKind.SYSTEM, "Memos", "duplicates")
UNDECIDED = (Status.CANDIDATE, Status.CONFIRMED, Status.APPLIED)  # of contested ones a person decides anyway
RANK = {Status.APPLIED: 2, Status.CONFIRMED: 1, Status.CANDIDATE: 0}
WHY = {
    Proposal.Kind.MERGE: "they say the same",
    Proposal.Kind.CONFLICT: "they cannot both hold",
}


def compare_memories(ids: Iterable[UUID], *, at: datetime) -> Counter[str]:
    """Compare these memories with the others of their scope and category. Counters: memories_compared,
    merges_proposed, conflicts_proposed.
    """
    counters: Counter[str] = Counter()
    rows = Memory.objects.filter(pk__in=set(ids), type=Type.SEMANTIC, status__in=UNDECIDED).unexpired(at)
    for memory in rows.order_by("pk"):
        same, contradicting = _neighbours(memory)
        counters["memories_compared"] += 1
        if same:
            counters["merges_proposed"] += _propose(Proposal.Kind.MERGE, [memory, *same], at=at)
        differing = list(dict.fromkeys([*contradicting, *_outdated_by(memory)]))
        for other in _worth_asking(memory, differing):
            counters["conflicts_proposed"] += ask_which_holds([memory, other], at=at)
    return counters


def ask_which_holds(rows: Sequence[Memory], *, at: datetime) -> int:
    """Propose that a person chooses between memories that contradict each other; 1 if it was not asked before."""
    return _propose(Proposal.Kind.CONFLICT, rows, at=at)


def _neighbours(memory: Memory) -> tuple[list[Memory], list[Memory]]:
    """The live memories of its scope and category that claim the same, and those that contradict it."""
    near = nearest(memory.content, scope=memory.scope, trust=everything(BY), besides=memory.pk)
    by_likeness: dict[Likeness, list[Memory]] = {likeness: [] for likeness in Likeness}
    decided_ids = _related(memory)
    for neighbour in near:
        row = neighbour.memory
        if row is None or row.category != memory.category or row.status not in UNDECIDED or row.pk in decided_ids:
            continue
        if not _made_by_rules(memory, row):
            if neighbour.likeness != Likeness.CHANGED or _are_near(memory, row):
                by_likeness[neighbour.likeness].append(row)
        elif claims.claim_of(memory.content) == claims.claim_of(row.content):
            by_likeness[Likeness.SAME].append(row)
    rows = [neighbour.memory for neighbour in near if neighbour.memory]
    return by_likeness[Likeness.SAME], _without_series(memory, by_likeness[Likeness.CHANGED], rows)


def _outdated_by(memory: Memory) -> list[Memory]:
    """The older claims that hold no more, as it says itself ("now", 现在), though their form does not contradict it."""
    if not updates.MARKS.search(memory.content):
        return []
    older = Memory.objects.filter(status__in=UNDECIDED, created_at__lte=memory.created_at).exclude(pk=memory.pk)
    about = older.filter(category=memory.category, company_id=memory.company_id)
    rows = [row for row in nominated(memory.content, about, scopes=[memory.scope]) if not _made_by_rules(memory, row)]
    return [row for row in rows if updates.replaces(memory.content, row.content)]


def _are_near(memory: Memory, other: Memory) -> bool:
    """Whether two texts are near in meaning, by the built-in model: what differs is a value, not the topic."""
    model = embedding.built_in()
    vector, other_vector = model.embed([memory.content, other.content])
    return embedding.centred_similarity(vector, other_vector, mean=model.mean) >= model.near_duplicate_threshold


def _without_series(memory: Memory, contradicting: Sequence[Memory], near: Sequence[Memory]) -> list[Memory]:
    """Leave out the members of a series: "billing listens on port 1", "search listens on port 2", and a third one.

    Each has a value of its own, and before it something else that has it. Of two alone nobody knows whether that is so.
    """
    places = {row.pk: _places_apart(memory.content, row.content) for row in (*near, *contradicting)}
    apart = [differing for differing in places.values() if len(differing) > 1]
    if len(apart) < 2:
        return list(contradicting)
    bearers = {differing[0] for differing in apart}
    return [row for row in contradicting if len(places[row.pk]) < 2 and not bearers & set(places[row.pk])]


def _places_apart(first: str, second: str) -> list[int]:
    """The places of words at which two texts of the same form differ; none where the form differs, or the order."""
    words, other_words = (WORD.findall(text.casefold()) for text in (first, second))
    steps = SequenceMatcher(None, words, other_words, autojunk=False).get_opcodes()
    is_same_form = all(tag in ("equal", "replace") for tag, *_ in steps) and sorted(words) != sorted(other_words)
    return [start for tag, start, *_ in steps if tag == "replace"] if is_same_form else []


def _worth_asking(memory: Memory, contradicting: Sequence[Memory]) -> list[Memory]:
    """Of the claims of one agent alone only one is asked about beside what they contradict, until a person has decided;
    of those that contradict each other one pair.

    Who contradicts others or itself twenty times would bury what the others say. All of them are marked as unreviewed
    anyway, and each is shown beside its nearest.
    """
    speaker = _only_speaker(memory)
    open_questions = _asked_about([memory, *contradicting])
    of_speaker = {row.pk for row in contradicting if speaker and _only_speaker(row) == speaker}
    worth = []
    for row in contradicting:
        pairs = {(memory.pk, _only_speaker(row)), (row.pk, speaker)}
        pairs |= {(pk, speaker) for pk in of_speaker if row.pk in of_speaker}
        if open_questions.isdisjoint(pairs):
            worth.append(row)
            open_questions |= {(pk, agent) for pk, agent in pairs if agent}
    return worth


def _asked_about(rows: Sequence[Memory]) -> set[tuple[UUID, str]]:
    """Each memory of an open conflict about one of these, with the agent whose claim stands beside it."""
    about = Proposal.objects.filter(kind=Proposal.Kind.CONFLICT, made_by=BY.name).open()
    pairs = [proposal.subjects for proposal in about.among([row.pk for row in rows])]
    memories = Memory.objects.in_bulk({pk for pair in pairs for pk in pair})
    pairs_of_memories = (
        (memory_id, memories.get(other_id))
        for pair in pairs
        for memory_id in pair
        for other_id in pair
        if memory_id != other_id
    )
    return {
        (memory_id, agent)
        for memory_id, other_id in pairs_of_memories
        if other_id and (agent := _only_speaker(other_id))
    }


def _only_speaker(row: Memory) -> str:
    """The agent that alone stands behind a row, however sure it is; '' where several said it or a person decided."""
    return next(iter(speakers.speakers_of(row)), "") if speakers.review_of(row) == Review.ONE_AGENT else ""


def _made_by_rules(*rows: Memory) -> bool:
    """Findings of rules are alike but for one word, and mean different things."""
    return any(row.origin in Origin.of_rules() for row in rows)


def _related(memory: Memory) -> set[UUID]:
    """What it was forked from, superseded by or contested with: somebody has decided how they stand to each other."""
    pairs = Relation.objects.filter(Q(source=memory) | Q(target=memory)).values_list("source", "target")
    return {memory_id for pair in pairs for memory_id in pair}


def _propose(kind: Proposal.Kind, rows: Sequence[Memory], *, at: datetime) -> int:
    """Open the proposal about these memories unless it is open or was rejected; 1 if it is new.

    One that is about fewer of them is withdrawn in its favour.
    """
    first, *other_rows = sorted(rows, key=_strength, reverse=True)
    ids = [str(row.pk) for row in (first, *other_rows)]
    with transaction.atomic():
        about = Proposal.objects.filter(kind=kind, made_by=BY.name).among([row.pk for row in rows])
        if any(
            {str(open_proposal.memory_id), *map(str, open_proposal.others)} >= set(ids)
            for open_proposal in about.open()
        ):
            return 0
        proposal = Proposal.objects.propose(
            kind,
            first,
            _change(kind, [first, *other_rows]),
            by=BY,
            why=WHY[kind],
            at=at,
            sensitivity=max(row.sensitivity for row in rows),
        )
        if proposal.is_rejected:
            return 0
        Proposal.objects.filter(pk=proposal.pk).update(others=[row.pk for row in other_rows])
        if kind == Proposal.Kind.MERGE:
            about.exclude(pk=proposal.pk).withdraw(by=BY, at=at)
    return 1


def _change(kind: Proposal.Kind, rows: Sequence[Memory]) -> dict[str, Any]:
    """`words`: hashes of what was compared. After an edit it is another question."""
    ids = [str(row.pk) for row in rows]
    words = sorted(hashlib.sha256(row.content.encode()).hexdigest()[:16] for row in rows)
    common = {"ids": ids, "rationale": WHY[kind], "words": words}
    if kind == Proposal.Kind.CONFLICT:
        return {"verb": "choose", **common}
    return {"verb": "merge", "memory": {"content": rows[0].content}, **common}


def _strength(memory: Memory) -> tuple[bool, int, int, int, str]:
    """A person's own comes first, then what is in force, then what more speaks for."""
    is_held = memory.hold != Hold.NONE
    return is_held, RANK[Status(memory.status)], memory.confidence, memory.times_confirmed, str(memory.pk)
