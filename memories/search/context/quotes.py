"""What was said before, quoted where nothing is known: passages of episodes, with their date and speaker."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from memories import claims
from memories.claims import Likeness
from memories.embedding import Array
from memories.models import Event, Passage
from memories.models.vector import Serving
from memories.scanning import prompt_injection
from memories.search import filters
from memories.search.context.queries import answering
from memories.search.context.rendering import in_one_line, quarters
from memories.search.dismissed_words import Utterance, stated
from memories.search.emphasis import ASKS
from memories.search.ranking_memories import OF_BEST
from memories.search.request import SearchRequest
from memories.values import roles
from memories.values.choices import Type
from memories.values.trust import Trust

HEADING = "## Said Before"
FENCE = "~~~~"
LONGEST = 300  # characters of a quote
READ = 4  # passages for each quote that is wanted: some say the same
OPENING = 2  # the position of a run's first message, perhaps after one of the system
ONE_SUBJECT = (Likeness.SAME, Likeness.REWORDING, Likeness.CHANGED)


@dataclass(frozen=True)
class Quote:
    """`until`: when the same speaker said of the same subject something newer."""

    episode_id: UUID
    event_id: UUID | None
    at: datetime
    speaker: str
    text: str
    until: datetime | None = None

    @property
    def line(self) -> str:
        until = f", until {self.until:%Y-%m-%d}" if self.until else ""
        return f"{self.at:%Y-%m-%d}{until}, {in_one_line(self.speaker) or 'somebody'}: {in_one_line(self.text)}"


def quotes(
    task: str, vector: Array | None, model: Serving, *, trust: Trust, at: datetime, most: int, thread_id: str = ""
) -> list[Quote]:
    """The passages that answer the task best; none where nothing that was said does. What is said in the thread at
    hand the caller knows, and an order to a model is not handed on."""
    asked = SearchRequest(query=task, types=[Type.EPISODIC.value], unit="passage", limit=most * READ)
    scored = answering(task, vector, model, filters.of_search(asked, trust, at), at=at)
    if not scored:
        return []
    least = scored[0].score * OF_BEST
    kept = [quote.candidate.passage for quote in scored[: asked.limit] if quote.score >= least]
    rows = _told(thread_id).in_bulk(kept)
    passages = [rows[id] for id in kept if id in rows and not ASKS.search(rows[id].text)]
    denied = stated([Utterance(row.text, row.scope, row.actor) for row in passages], trust)
    left = [row for row, no in zip(passages, denied, strict=True) if not no and not prompt_injection.is_in(row.text)]
    return ordered([_quote(row) for row in left])[:most]


def _told(thread_id: str) -> "QuerySet[Passage]":
    """What users said, but for the requests with which agents' runs began: of these, runs tell how they ended."""
    passages = Passage.objects.filter(event__role=roles.USER, event__tool="")
    calls = Event.objects.filter(episode=OuterRef("memory_id")).exclude(tool="")
    opening = Q(event__position__lte=OPENING) & Q(Exists(calls))
    return passages.exclude(opening).exclude(memory__thread_id__in=[thread_id] if thread_id else [])


def _quote(row: Passage) -> Quote:
    text = row.text if len(row.text) <= LONGEST else f"{row.text[:LONGEST]}..."
    return Quote(row.memory_id, row.event_id, row.at, row.actor, text)


def ordered(found: Sequence[Quote]) -> list[Quote]:
    """Best first; of those in which one speaker says something of one subject the newest first, the older ones with
    `until`, without what a newer one says too. Pure."""
    kept: list[Quote] = []
    read = [claims.claim_of(f"{quote.speaker}: {quote.text}") for quote in found]  # "I" is whoever speaks
    left = list(range(len(found)))
    while left:
        first = left[0]
        alike = [n for n in left if n == first or _same_subject(found[first], found[n], read[first], read[n])]
        newest_first: list[int] = []
        for n in sorted(alike, key=lambda n: found[n].at, reverse=True):
            if not any(claims.compare(read[m], read[n]) == Likeness.SAME for m in newest_first):
                newest_first.append(n)
        kept += [
            found[n] if place == 0 else replace(found[n], until=found[newest_first[place - 1]].at)
            for place, n in enumerate(newest_first)
        ]
        left = [n for n in left if n not in alike]
    return kept


def _same_subject(one: Quote, other: Quote, claim: claims.Claim, second: claims.Claim) -> bool:
    return one.speaker == other.speaker and claims.compare(claim, second) in ONE_SUBJECT


def block(found: Sequence[Quote], *, token_budget: int) -> str:
    """The quotes within a fence, as many whole ones as the budget holds; '' for none."""
    kept, room = [], 4 * token_budget - quarters(HEADING) - 2 * quarters(FENCE) - 3
    for quote in found:
        room -= quarters(quote.line) + 1
        if room < 0:
            break
        kept.append(quote.line)
    return "\n".join([HEADING, FENCE, *kept, FENCE]) if kept else ""
