"""Quotes for a task of which no memory tells: passages of what users said in episodes, with date and speaker."""

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
from memories.search.context.queries import answering_passages
from memories.search.context.rendering import in_one_line, quarters
from memories.search.dismissed_words import Utterance, dismissed_sentences
from memories.search.emphasis import QUESTION_END
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
    """A quote. `until`: when the same speaker said something newer on the same subject."""

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
    """The passages that answer the task best; none where nothing does. Left out are questions, dismissed sentences,
    instructions to a model, and the caller's own thread."""
    request = SearchRequest(query=task, types=[Type.EPISODIC.value], unit="passage", limit=most * READ)
    scores = answering_passages(task, vector, model, filters.of_search(request, trust, at), at=at)
    if not scores:
        return []
    least = scores[0].score * OF_BEST
    passage_ids = [quote.candidate.passage for quote in scores[: request.limit] if quote.score >= least]
    rows = _user_passages(thread_id).in_bulk(passage_ids)
    passages = [rows[id] for id in passage_ids if id in rows and not QUESTION_END.search(rows[id].text)]
    dismissed_by_row = dismissed_sentences([Utterance(row.text, row.scope, row.actor) for row in passages], trust)
    rows_to_quote = [
        row
        for row, sentences in zip(passages, dismissed_by_row, strict=True)
        if not sentences and not prompt_injection.is_in(row.text)
    ]
    return order_quotes([_quote(row) for row in rows_to_quote])[:most]


def _user_passages(thread_id: str) -> "QuerySet[Passage]":
    """Passages of users' messages, without the requests that began agents' runs, and without this thread."""
    passages = Passage.objects.filter(event__role=roles.USER, event__tool="")
    calls = Event.objects.filter(episode=OuterRef("memory_id")).exclude(tool="")
    opening = Q(event__position__lte=OPENING) & Q(Exists(calls))
    return passages.exclude(opening).exclude(memory__thread_id__in=[thread_id] if thread_id else [])


def _quote(row: Passage) -> Quote:
    text = row.text if len(row.text) <= LONGEST else f"{row.text[:LONGEST]}..."
    return Quote(row.memory_id, row.event_id, row.at, row.actor, text)


def order_quotes(candidates: Sequence[Quote]) -> list[Quote]:
    """Group quotes by speaker and subject, in the order of each group's best; within a group the newest first, the
    older ones with `until`, and repetitions removed. Pure."""
    ordered_quotes: list[Quote] = []
    quote_claims = [claims.claim_of(f"{quote.speaker}: {quote.text}") for quote in candidates]  # "I" is whoever speaks
    remaining = list(range(len(candidates)))
    while remaining:
        first = remaining[0]
        alike = [
            n
            for n in remaining
            if n == first or _same_subject(candidates[first], candidates[n], quote_claims[first], quote_claims[n])
        ]
        newest_first: list[int] = []
        for n in sorted(alike, key=lambda n: candidates[n].at, reverse=True):
            if not any(claims.compare(quote_claims[m], quote_claims[n]) == Likeness.SAME for m in newest_first):
                newest_first.append(n)
        ordered_quotes += [
            candidates[n] if place == 0 else replace(candidates[n], until=candidates[newest_first[place - 1]].at)
            for place, n in enumerate(newest_first)
        ]
        remaining = [n for n in remaining if n not in alike]
    return ordered_quotes


def _same_subject(quote: Quote, other_quote: Quote, claim: claims.Claim, other_claim: claims.Claim) -> bool:
    return quote.speaker == other_quote.speaker and claims.compare(claim, other_claim) in ONE_SUBJECT


def block(candidates: Sequence[Quote], *, token_budget: int) -> str:
    """The first quotes that fit into the budget, within a fence; '' for none."""
    lines, room = [], 4 * token_budget - quarters(HEADING) - 2 * quarters(FENCE) - 3
    for quote in candidates:
        room -= quarters(quote.line) + 1
        if room < 0:
            break
        lines.append(quote.line)
    return "\n".join([HEADING, FENCE, *lines, FENCE]) if lines else ""
