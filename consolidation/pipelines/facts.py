"""What was counted from runs is written down as facts to be confirmed: which commands start, where arguments come from.

A fact's row is the queue (`due`), and each is one transaction.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from consolidation.learning.effects.command_starts import LEAST_RUNS
from consolidation.learning.wording import Language, is_chinese
from consolidation.models.arguments import ArgumentFact
from consolidation.models.commands import CommandFact
from consolidation.models.counted_facts import CountedFact, CountedRun, Findings
from consolidation.models.profiles import RunProfile
from consolidation.pipelines.attempts import Checkpoint, attempt_one, no_checkpoint
from memories.intake import admission
from memories.intake.claims import Occasion, Statement, WriteResult, remember
from memories.intake.claims.writing import live_row, lock_key
from memories.intake.evidence import record_suppressed
from memories.intake.statements import add_evidence, uncounted
from memories.models import Episode, Evidence, Memory, Proposal
from memories.models.evidence import episode_occasion
from memories.values.choices import LIVE, ActorKind, Category, Hold, Origin, Sensitivity, Status
from memories.values.exceptions import Conflict
from memories.values.trust import Actor, everything

BY = Actor(ActorKind.SYSTEM, "Memos", "consolidation")
SOURCE = "consolidation"
CONFIDENCE = 40
MOST_FOUNDING = 200  # attempts that a new memory names as its evidence
MOST_READ = 1_000
MOST_OPENINGS = 50  # that tell the language of the requests
KINDS: tuple[type[CountedFact], ...] = (CommandFact, ArgumentFact)


def write_facts(scope: str, *, at: datetime, checkpoint: Checkpoint = no_checkpoint) -> Counter[str]:
    """Brings every fact of a scope that was touched to its end. Counters: facts_created, suppressed, failed."""
    counters: Counter[str] = Counter()
    due = list(_due(scope))
    for fact in due:
        counters.update(attempt_one(fact, partial(_write, fact, at=at)))
        checkpoint(0, counters)
    if due:
        _choose_waiting(scope)
    return counters


def _due(scope: str) -> Iterator[CountedFact]:
    for kind in KINDS:
        yield from sorted(kind.objects.due().filter(scope=scope), key=lambda fact: (fact.topic, fact.sensitivity))


@transaction.atomic
def _write(fact: CountedFact, *, at: datetime) -> Counter[str]:
    lock_key(fact.scope, _key(fact))
    counters: Counter[str] = Counter()
    memory = fact.lock()
    if not fact.due:
        return counters
    findings = fact.findings()
    if memory is None:
        counters = _create(fact, findings, at=at)
    elif memory.status not in LIVE:
        counters = _meet_closed(fact, memory)
    else:
        _update(fact, memory, findings, at=at)
    fact.save_written(findings)
    return counters


def _create(fact: CountedFact, findings: Findings, *, at: datetime) -> Counter[str]:
    """Store a candidate memory of what the counts support; a fact whose memory is gone needs LEAST_RUNS new runs."""
    claims_found = findings.claims()
    if not claims_found or (fact.words and fact.shown.uncounted().count() < LEAST_RUNS):
        return Counter()
    latest = fact.shown.order_by("-at", "-pk")[:MOST_READ]
    runs = [run for run in latest if run.agrees(claims_found) is not None][:MOST_FOUNDING]
    language = _language(runs)
    statement = _statement(fact, findings.sentence(claims_found, language))
    stone = admission.dismissed_key(fact.scope, *fact.names)
    if stone is not None:
        admission.suppress(stone, statement, trust=everything(BY), at=at)
        fact.shown.uncounted().update(counted=True)
        return Counter(suppressed=1)
    if live_row(fact.scope, statement.key, at=at) is not None:
        return Counter()  # somebody else speaks under this key
    fact.language = language
    result = _state(fact, statement, claims_found, runs, at=at)
    return Counter(facts_created=1) if result.created else Counter(suppressed=int(result.suppressed))


def _state(
    fact: CountedFact, statement: Statement, claims_stated: dict[str, Any], runs: Sequence[CountedRun], *, at: datetime
) -> WriteResult:
    """Make the memory of a fact, with what its runs show as evidence. Not created: the claim is known or kept out."""
    occasions = _occasions(fact, [run for run in runs if run.agrees(claims_stated)])
    result = remember(statement, occasions=occasions, by=BY, at=at)
    if result.created and result.memory is not None:
        fact.memory, fact.said, fact.words, fact.turned = result.memory, claims_stated, statement.content, False
        _testify(fact, result.memory, runs)
        fact.shown.uncounted().update(counted=True)
    return result


@transaction.atomic
def dismiss_unstated(fact: CountedFact, claims_stated: dict[str, Any], *, by: Actor, at: datetime) -> None:
    """Store claims that no memory states yet as a dismissed memory: a person keeps them out, and can restore them.

    Conflict: a memory says it by now, or the same was dismissed before.
    """
    lock_key(fact.scope, _key(fact))
    if fact.lock() is not None or live_row(fact.scope, _key(fact), at=at) is not None:
        raise Conflict("a memory now states it as a fact: dismiss that memory")
    latest = fact.shown.order_by("-at", "-pk")[:MOST_FOUNDING]
    runs = [run for run in latest if run.agrees(claims_stated) is not None]
    findings, fact.language = fact.findings(), _language(runs)
    result = _state(fact, _statement(fact, findings.sentence(claims_stated, _spoken(fact))), claims_stated, runs, at=at)
    if not result.created or result.memory is None:
        raise Conflict("it was dismissed before")
    fact.save_written(findings)
    result.memory.dismiss(by=by, why="", at=at)


def _language(runs: Sequence[CountedRun]) -> Language:
    """The language of most requests, of the runs that still exist."""
    latest = [run.episode_id for run in runs[:MOST_OPENINGS]]
    openings = RunProfile.objects.filter(pk__in=latest).values_list("opening", flat=True)
    chinese = Counter(map(is_chinese, openings))
    return "zh" if chinese[True] > chinese[False] else "en"


def _meet_closed(fact: CountedFact, memory: Memory) -> Counter[str]:
    """The memory was dismissed or retracted: only record that runs show the fact again."""
    fresh = list(fact.shown.uncounted())
    record_suppressed(memory, dict.fromkeys((run.at for run in fresh), ""), source=SOURCE)
    fact.shown.uncounted().update(counted=True)
    return Counter(suppressed=len({run.episode_id for run in fresh}))


def _update(fact: CountedFact, memory: Memory, findings: Findings, *, at: datetime) -> None:
    """Add new runs as evidence, and reword a candidate that no person has edited by the present counts."""
    fresh = list(fact.shown.uncounted())
    _testify(fact, memory, fresh)
    fact.shown.uncounted().update(counted=True)
    if findings.is_contradicted(fact.said):
        _contest(fact, memory, findings, at=at)
        return
    if fact.turned:
        fact.turned = False
        memory.proposals.filter(kind=Proposal.Kind.CONFLICT, made_by=BY.name).withdraw(by=BY, at=at)
    if memory.status == Status.CANDIDATE and memory.hold == Hold.NONE and memory.content == fact.words:
        _reword(fact, memory, findings, at=at)


def _contest(fact: CountedFact, memory: Memory, findings: Findings, *, at: datetime) -> None:
    """Propose a conflict once each time the runs turn against the fact."""
    if fact.turned:
        return
    fact.turned = True
    Proposal.objects.propose(
        Proposal.Kind.CONFLICT,
        memory,
        {"verb": "edit", "content": findings.sentence(fact.said, _spoken(fact))},
        by=BY,
        why="the latest runs say otherwise",
        at=at,
        sensitivity=fact.sensitivity,
    )


def _reword(fact: CountedFact, memory: Memory, findings: Findings, *, at: datetime) -> None:
    claims_left = findings.supported_claims(fact.said)
    words = findings.sentence(claims_left, _spoken(fact))
    statement = _statement(fact, words)
    if words == memory.content or admission.dismissal_of_statement(statement, trust=everything(BY)).blocking:
        return
    memory.revise("reinforce", {"content": words, "flags": statement.flags}, by=BY, why="", at=at)
    fact.said, fact.words = claims_left, words


def _testify(fact: CountedFact, memory: Memory, runs: Sequence[CountedRun]) -> None:
    """Each run is one evidence: against the memory if any of its attempts disagrees. Confidence does not change."""
    by_attempt = {run: agrees for run in runs if (agrees := run.agrees(fact.said)) is not None}
    against = {run.episode_id for run, agrees in by_attempt.items() if not agrees}
    for kind, rows in (
        (Evidence.Kind.CONTRADICTS, [run for run in by_attempt if run.episode_id in against]),
        (Evidence.Kind.REINFORCED, [run for run in by_attempt if run.episode_id not in against]),
    ):
        fresh = uncounted(memory, _occasions(fact, rows))
        add_evidence(memory, fresh, memory.content, kind=kind, delta=0, trust=everything(BY))


def _occasions(fact: CountedFact, runs: Sequence[CountedRun]) -> list[Occasion]:
    """One occasion for each run, at the call that shows it; also for a run that was deleted since."""
    moments: dict[UUID, datetime] = {run.episode_id: run.at for run in runs}
    existing_ids = set(Episode.objects.filter(pk__any=moments).values_list("pk", flat=True))
    calls = fact.calls(runs)
    occasion_fields = [
        (episode_occasion(pk), at, pk if pk in existing_ids else None, calls.get(pk)) for pk, at in moments.items()
    ]
    return [Occasion(*fields) for fields in occasion_fields]


def _spoken(fact: CountedFact) -> Language:
    return "zh" if fact.language == "zh" else "en"


def _statement(fact: CountedFact, content: str) -> Statement:
    return Statement(
        content=content,
        key=_key(fact),
        scope=fact.scope,
        source=SOURCE,
        confidence=CONFIDENCE,
        category=Category.FACT,
        origin=Origin.CONSOLIDATED,
        sensitivity=Sensitivity(fact.sensitivity),
        names=fact.names,
    )


def _key(fact: CountedFact) -> str:
    usual = fact.sensitivity == Sensitivity.named(settings.DEFAULT_SENSITIVITY)
    return fact.names[0] if usual else f"{fact.names[0]}-{Sensitivity(fact.sensitivity).label}"


def _choose_waiting(scope: str) -> None:
    """Settle of each fact about commands whether it waits: it says what nobody would have tried first.

    That is a command that does not start, or one that starts and is not what starts in most other places of the scope.
    "In sklearn `pytest` starts" is true, kept and found, but spares nobody anything where `pytest` starts elsewhere
    too. Call when facts were written: what is usual may have changed.
    """
    by_purpose: dict[str, list[CommandFact]] = defaultdict(list)
    facts = CommandFact.objects.filter(scope=scope, memory__isnull=False).exclude(said={})
    for fact in facts.only("purpose", "sensitivity", "said", "waits"):
        by_purpose[fact.purpose].append(fact)
    facts_to_change = []
    for alike in by_purpose.values():
        for level in {fact.sensitivity for fact in alike}:
            usual = Counter(form for fact in alike if fact.sensitivity <= level for form in fact.starting)
            facts_to_change += [
                fact for fact in alike if fact.sensitivity == level and fact.waits != _waits(fact, usual)
            ]
    for fact in facts_to_change:
        fact.waits = not fact.waits
    CommandFact.objects.bulk_update(facts_to_change, ["waits"])


def _waits(fact: CommandFact, usual: Counter[str]) -> bool:
    """`usual`: in how many places each form starts, this one among them."""
    if fact.command or len(fact.starting) < len(fact.said):
        return True
    elsewhere = usual - Counter(fact.starting)
    most = max(elsewhere.values(), default=0)
    return any(not most or elsewhere[form] < most for form in fact.starting)
