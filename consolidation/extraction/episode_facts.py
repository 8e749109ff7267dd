"""Facts that the model finds in a conversation: kept only where words of a user or of a tool prove them."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.db import transaction

from consolidation.extraction import grounding, needs, recall, transcript_question
from consolidation.extraction.needs import Claim
from consolidation.extraction.predicate_grounding import is_passing
from consolidation.extraction.steps import Needless, Notes, Opinion, Question, Work
from consolidation.extraction.transcript_question import Fact, Facts
from consolidation.extraction.transcripts import Passage, comparable, orders_near
from memories.intake import triples
from memories.intake.claims import Occasion, Statement
from memories.intake.reports import payloads
from memories.intake.triples import Triple
from memories.lifecycle.ownership import is_own
from memories.models import Memory
from memories.scanning import prompt_injection
from memories.scanning.credentials import MASK
from memories.values.choices import LIVE, ActorKind, Origin, Sensitivity, Status, Type
from memories.values.field_errors import format_instant
from memories.values.trust import Actor, Trust, everything

BY = Actor(ActorKind.SYSTEM, "Memos", "extraction")
SOURCE = "extraction"
CONFIDENCE = 40
MOST_FACTS = 10  # of one part of a conversation; the first ones count
SHORTEST_QUOTE = 6  # characters; a Chinese one says twice as much
_BROKEN_OFF = re.compile(r"^\s*(?:\.{3}|…)|(?:\.{3}|…)\s*$")  # a quote that goes on, and says so
NUMBERS = re.compile(r"\d+(?:[.,:/-]\d+)*")
_OF_SPEAKER = re.compile(
    r"\b(?:my|our|your|me|us|myself|and i|i and)\b|我的|我们|你的|你们", re.IGNORECASE
)  # whose, a stranger cannot tell
WHAT = {"en": "the transcript", "zh": "对话记录"}


class FactWithPassage(NamedTuple):
    """A fact, with the passage that proves it."""

    fact: Fact
    passage: Passage


def perform(work: Work) -> Notes:
    """Ask for the facts of each part of a conversation, where they do not stand beside its tasks, and write those that
    hold.

    Counters: facts_created, facts_reinforced, facts_proposed, suppressed, not_proven (no such words of a user or tool,
    or no whole sentence), those of `grounding`, instruction_like, passing (it holds only now), outdated,
    known (nothing new), not_needed (of them all: nobody is asked about it, see `needs`), denied_when_asked,
    not_told_apart (see `needs.counterpart`), unread_parts.
    """
    answers = transcript_question.facts_beside_tasks(work.run) or _asked_alone(work)
    counters: Counter[str] = Counter(unread_parts=int(work.transcript.unread > 0))
    proven: list[FactWithPassage] = []
    for fact in _distinct(fact for answer in answers for fact in answer.facts[:MOST_FACTS]):
        result = _proven(fact, work)
        if isinstance(result, str):
            counters[work.leave_out(_content(fact), result)] += 1
        else:
            proven.append(result)
    facts_to_ask = [
        fact_with_passage
        for fact_with_passage in proven
        if not needs.is_of_a_record(fact_with_passage.fact.object, fact_with_passage.passage, work.transcript)
    ]
    questions = _questions(facts_to_ask, work) if _is_any_new(facts_to_ask, work) else []

    def write(opinions: Sequence[Opinion]) -> Counter[str]:
        opinions_in_order = iter(opinions or [Opinion()] * len(facts_to_ask))
        for candidate in proven:
            opinion = needs.OF_A_RECORD if candidate not in facts_to_ask else next(opinions_in_order)
            content = _content(candidate.fact)
            fault = opinion.fault and work.leave_out(content, opinion.fault)
            counters[fault or _write(candidate, opinion.needless, work)] += 1
            counters["not_needed"] += int(opinion.needless is not None and not opinion.fault)
        return +counters

    return Notes(questions, write)


def _asked_alone(work: Work) -> list[Facts]:
    known_facts = recall.known_facts(work.episode, work.transcript, at=work.at)
    question = transcript_question.facts_alone(work.transcript, known=known_facts)
    work.ask_parts(question.shape, question.parts, system=question.system, what=WHAT[work.transcript.language])
    return work.answers_of_parts(Facts)


def _distinct(facts: Iterator[Fact]) -> Iterator[Fact]:
    """Each fact once, its words without superfluous blanks."""
    triples_seen = set()
    for fact in facts:
        words = {name: " ".join(getattr(fact, name).split()) for name in ("subject", "predicate", "object")}
        if (triple := tuple(map(str.casefold, words.values()))) not in triples_seen:
            triples_seen.add(triple)
            yield fact.model_copy(update=words)


def _proven(fact: Fact, work: Work) -> FactWithPassage | str:
    """The fact with the passage that proves it, or the counter that it belongs to."""
    quote = _BROKEN_OFF.sub("", fact.quote)
    passage = work.transcript.proof(quote)
    if passage is None:
        return "not_proven"
    subject = grounding.subject_of(fact.subject, quote, passage, work.transcript)
    fact = fact.model_copy(update={"subject": subject, "quote": quote})
    return _fault(fact, passage, work) or FactWithPassage(fact, passage)


def _is_any_new(proven: Sequence[FactWithPassage], work: Work) -> bool:
    """Whether the model is asked about these: about all of them, for its answer is kept for all, or each is known and
    stands in no question."""
    are_questions = [grounding.is_question(fact.quote, passage) for fact, passage in proven]
    keys = {triples.folded_key(*_claim(fact_proof.fact)) for fact_proof in proven}
    known_rows = Memory.objects.filter(scope=work.episode.scope, key__in=keys, status__in=LIVE)
    return any(are_questions) or bool(keys - set(known_rows.values_list("key", flat=True)))


def _questions(proven: Sequence[FactWithPassage], work: Work) -> list[Question]:
    """Each fact with its words and its counterpart, of those who speak or of whom other facts tell."""
    subjects = [*grounding.speakers(work.transcript), *(fact_proof.fact.subject for fact_proof in proven)]
    questions = []
    for fact, passage in proven:
        words = f"{passage.speaker}: {needs.words_around(passage.text, fact.quote)}"
        double = needs.counterpart(_claim(fact), fact.quote, subjects)
        questions.append(Question(_content(fact), words, payloads.content_of(*double)))
    return questions


def _claim(fact: Fact) -> Claim:
    return Claim(fact.subject, fact.predicate, fact.object)


def _content(fact: Fact) -> str:
    return payloads.content_of(*_claim(fact))


def _write(proven: FactWithPassage, needless: Needless | None, work: Work) -> str:
    """Write one fact through the gate; the counter that it belongs to."""
    with transaction.atomic():
        result = triples.store(_triple(proven.fact, proven.passage, work), trust=everything(BY), at=work.at)
        if result.created and result.memory:
            needs.keep(result.memory, needless, at=work.at)
    if result.created:
        return "facts_created"
    if result.reinforced:
        return "facts_reinforced"
    if result.proposal:
        return "facts_proposed"
    return "outdated" if result.notice == triples.OUTDATED else "suppressed" if result.suppressed else "known"


def _fault(fact: Fact, passage: Passage, work: Work) -> str:
    """Why the passage that holds its quote does not prove it: the counter that it belongs to."""
    if not _is_proven(fact):
        return "not_proven"
    fault = grounding.fault(fact.subject, fact.predicate, fact.object, fact.quote, passage, work.transcript)
    if fault or _is_instruction(fact, passage):
        return fault or "instruction_like"
    return "passing" if is_passing(fact.predicate, fact.object) else ""


def _is_proven(fact: Fact) -> bool:
    """Whether it is a whole statement, whose numbers stand in the quote."""
    sizes = ((fact.subject, 200), (fact.predicate, 100), (fact.object, 500), (fact.quote, 2_000))
    if not all(0 < len(words.strip()) <= most for words, most in sizes) or MASK in f"{fact.object}{fact.quote}":
        return False
    weight = sum(1 if char.isascii() else 2 for char in fact.quote.strip())
    if _OF_SPEAKER.search(fact.object):
        return False
    quoted_numbers = set(NUMBERS.findall(comparable(fact.quote)))
    return weight >= SHORTEST_QUOTE and quoted_numbers.issuperset(NUMBERS.findall(comparable(fact.object)))


def _is_instruction(fact: Fact, passage: Passage) -> bool:
    """Whether it, or the words around its quote, tell a model what to do. What they ask for is no fact."""
    text = f"{fact.subject} {fact.predicate} {fact.object}"
    return prompt_injection.is_in(text) or orders_near(passage, fact.quote)


def _triple(fact: Fact, passage: Passage, work: Work) -> Triple:
    statement, episode = _statement(fact, passage, work), work.episode
    occasion = Occasion.episode(episode.pk, at=passage.at, event_id=passage.event_id, quote=fact.quote.strip())
    return Triple(
        statement,
        occasion,
        why=f"a later conversation says {statement.content}"[:2000],
        proposal_why=f"a conversation says another {fact.predicate}",
        status=Status.CANDIDATE,
        may_revise=_may_revise,
        is_dated=True,
    )


def _may_revise(memory: Memory, trust: Trust) -> bool:
    """Candidates of the model's own only: what was confirmed, or comes from others, is for a person."""
    return memory.status == Status.CANDIDATE and is_own(memory, trust)


def _statement(fact: Fact, passage: Passage, work: Work) -> Statement:
    episode = work.episode
    evidence = {"source_type": "episode", "source_id": str(episode.pk), "timestamp": format_instant(passage.at)}
    return Statement(
        content=_content(fact),
        key=triples.folded_key(fact.subject, fact.predicate, fact.object),
        scope=episode.scope,
        source=SOURCE,
        confidence=CONFIDENCE,
        origin=Origin.EXTRACTED,
        payload={
            "kind": Type.SEMANTIC.value,
            "subject": fact.subject,
            "predicate": fact.predicate,
            "object": fact.object,
            "validity": {"mode": "global"},
            "evidence": [evidence],
            "revision_policy": "replace" if fact.only_one else "fork",
        },
        sensitivity=Sensitivity(work.episode.memory.sensitivity),
    )
