"""Which commands start in a repository, and which do not: counted from runs, and written down as facts to be confirmed.

`see` counts, in the transaction that marks the runs as read. `write_down` brings what was touched to its end: a fact's
row is the queue (`due`), and each is one transaction.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import transaction

from consolidation.learning import startups
from consolidation.learning.attempts import Attempt, attempts
from consolidation.learning.effects import ToolRules
from consolidation.learning.places import place
from consolidation.learning.runs import Run
from consolidation.learning.startups import LEAST_RUNS, Tally
from consolidation.models import case_of
from consolidation.models.commands import CommandAttempt, CommandFact
from memories.intake.claims import Occasion, Statement, occasions, remember, suppression
from memories.intake.claims.writing import hold, live_row
from memories.intake.evidence import Witness, suppress
from memories.models import Episode, Evidence, Memory, Proposal, Tombstone
from memories.models.evidence import episode_occasion
from memories.values import text
from memories.values.choices import LIVE, ActorKind, Category, Hold, Origin, Outcome, Sensitivity, Status
from memories.values.trust import Actor, everything

BY = Actor(ActorKind.SYSTEM, "Memos", "consolidation")
SOURCE = "consolidation"
CONFIDENCE = 40
MOST_FOUNDING = 200  # attempts that a new memory names as its evidence
Place = tuple[str, int, str, str]


def see(runs: Sequence[tuple[Run, Episode]], rules: ToolRules) -> None:
    """Counts what these runs show of commands; a run that was read before counts nothing twice."""
    known = CommandAttempt.objects.places(episode.pk for _, episode in runs)
    seen: dict[Place, list[tuple[Attempt, Run]]] = defaultdict(list)
    for run, episode in runs:
        if shown := attempts(run, rules):
            where = known[run.id] if run.id in known else place(run, rules, episode.environment)
            for attempt in shown:
                seen[episode.scope, episode.memory.sensitivity, where, attempt.purpose[:64]].append((attempt, run))
    for identity in sorted(seen):  # one order: no deadlock
        _count(identity, seen[identity])


def _count(identity: Place, seen: Sequence[tuple[Attempt, Run]]) -> None:
    scope, sensitivity, where, purpose = identity
    fact, _ = CommandFact.objects.get_or_create(scope=scope, sensitivity=sensitivity, place=where, purpose=purpose)
    read = fact.shown.filter(episode_id__in={run.id for _, run in seen}).values_list("episode_id", "form")
    counted = set(read)
    fresh = [
        CommandAttempt(
            fact=fact,
            form=attempt.form,
            episode_id=run.id,
            case=case_of(run.thread_id, run.id),
            started=attempt.started,
            at=run.at,
        )
        for attempt, run in seen
        if (run.id, attempt.form) not in counted
    ]
    CommandAttempt.objects.bulk_create(fresh)
    if fresh:
        CommandFact.objects.filter(pk=fact.pk).update(due=True)


def write_down(scope: str, *, at: datetime) -> Counter[str]:
    """Brings every fact of a scope that was touched to its end. Counters: facts_created, suppressed, failed."""
    counters: Counter[str] = Counter()
    for fact in CommandFact.objects.due().filter(scope=scope).order_by("place", "purpose", "sensitivity"):
        fact.attempted()
        try:
            with transaction.atomic():
                counters.update(_write(fact, at=at))
        except Exception as error:  # kept on the row, and tried again in the next run
            fact.refresh_from_db()
            fact.failed(f"{type(error).__name__}: {error}")
            counters["failed"] += 1
    return counters


def _write(fact: CommandFact, *, at: datetime) -> Counter[str]:
    hold(fact.scope, _key(fact))
    counters: Counter[str] = Counter()
    memory = Memory.objects.select_for_update(of=("self",)).filter(pk=fact.memory_id).first()
    tallies = fact.tallies()
    if memory is None:
        counters = _found(fact, tallies, at=at)
    elif memory.status not in LIVE:
        counters = _meet_closed(fact, memory)
    else:
        _hear(fact, memory, tallies, at=at)
    fact.settle()
    return counters


def _found(fact: CommandFact, tallies: dict[str, Tally], *, at: datetime) -> Counter[str]:
    """A candidate of what can be relied on. One that was there and is gone needs new runs that say it again."""
    said = startups.claims(fact.purpose, tallies)
    if not said or (fact.words and fact.shown.uncounted().count() < LEAST_RUNS):
        return Counter()
    statement = _statement(fact, startups.sentence(fact.place, said, tallies))
    stone = Tombstone.objects.blocking(fact.scope).filter(key__in=_keys(fact)).order_by("-at").first()
    if stone is not None:
        suppression.suppress(stone, statement, trust=everything(BY), at=at)
        fact.shown.uncounted().update(counted=True)
        return Counter(suppressed=1)
    if live_row(fact.scope, statement.key, at=at) is not None:
        return Counter()  # somebody else speaks under this key
    shown = list(fact.shown.filter(form__in=said).order_by("-at", "-pk")[:MOST_FOUNDING])
    agreeing = [one for one in shown if one.started == said[one.form]]
    stored = remember(statement, occasions=_occasions(agreeing), by=BY, at=at)
    if not stored.created or stored.memory is None:
        return Counter(suppressed=int(stored.suppressed))
    fact.memory, fact.said, fact.words, fact.turned = stored.memory, said, statement.content, False
    _testify(fact, stored.memory, shown)
    fact.shown.uncounted().update(counted=True)
    return Counter(facts_created=1)


def _meet_closed(fact: CommandFact, memory: Memory) -> Counter[str]:
    """People dismissed it or took it back: it is noted that it was met again, and nothing else."""
    fresh = list(fact.shown.uncounted())
    suppress(memory, [Witness(one.episode_id, Outcome.SUCCESS, one.at) for one in fresh], source=SOURCE)
    fact.shown.uncounted().update(counted=True)
    return Counter(suppressed=len({one.episode_id for one in fresh}))


def _hear(fact: CommandFact, memory: Memory, tallies: dict[str, Tally], *, at: datetime) -> None:
    """New runs are evidence; the words of a candidate that nobody has touched follow the counts."""
    fresh = list(fact.shown.uncounted())
    _testify(fact, memory, fresh)
    fact.shown.uncounted().update(counted=True)
    if any(tallies[form].has_turned(starts) for form, starts in fact.said.items()):
        _contest(fact, memory, tallies, at=at)
        return
    if fact.turned:
        fact.turned = False
        memory.proposals.filter(kind=Proposal.Kind.CONFLICT, made_by=BY.name).withdraw(by=BY, at=at)
    if memory.status == Status.CANDIDATE and memory.hold == Hold.NONE and memory.content == fact.words:
        _reword(fact, memory, tallies, at=at)


def _contest(fact: CommandFact, memory: Memory, tallies: dict[str, Tally], *, at: datetime) -> None:
    """Asked once for each time that it turns, however often the runs say it."""
    if fact.turned:
        return
    fact.turned = True
    Proposal.objects.propose(
        Proposal.Kind.CONFLICT,
        memory,
        {"verb": "edit", "content": startups.sentence(fact.place, fact.said, tallies)},
        by=BY,
        why="the latest runs say otherwise",
        at=at,
        sensitivity=fact.sensitivity,
    )


def _reword(fact: CommandFact, memory: Memory, tallies: dict[str, Tally], *, at: datetime) -> None:
    said = startups.still(fact.said, fact.purpose, tallies)
    words = startups.sentence(fact.place, said, tallies)
    statement = _statement(fact, words)
    stone, _ = suppression.met_by(statement, trust=everything(BY))
    if words == memory.content or stone is not None:
        return
    memory.revise("reinforce", {"content": words, "flags": statement.flags}, by=BY, why="", at=at)
    fact.said, fact.words = said, words


def _testify(fact: CommandFact, memory: Memory, shown: Sequence[CommandAttempt]) -> None:
    """Each run speaks once: against it when anything that it showed is otherwise. Nothing climbs by that."""
    told = [one for one in shown if one.form in fact.said]
    against = {one.episode_id for one in told if one.started != fact.said[one.form]}
    statement = _statement(fact, memory.content)
    for kind, rows in (
        (Evidence.Kind.CONTRADICTS, [one for one in told if one.episode_id in against]),
        (Evidence.Kind.REINFORCED, [one for one in told if one.episode_id not in against]),
    ):
        fresh = occasions.uncounted(memory, _occasions(rows))
        occasions.count(memory, fresh, statement, kind=kind, delta=0, trust=everything(BY))


def _occasions(shown: Sequence[CommandAttempt]) -> list[Occasion]:
    """One of each run; one that is gone meanwhile has spoken too."""
    moments: dict[UUID, datetime] = {one.episode_id: one.at for one in shown}
    there = set(Episode.objects.filter(pk__in=moments).values_list("pk", flat=True))
    return [Occasion(episode_occasion(pk), at, pk if pk in there else None) for pk, at in moments.items()]


def _statement(fact: CommandFact, content: str) -> Statement:
    return Statement(
        content=content,
        key=_key(fact),
        scope=fact.scope,
        source=SOURCE,
        confidence=CONFIDENCE,
        category=Category.FACT,
        origin=Origin.CONSOLIDATED,
        sensitivity=Sensitivity(fact.sensitivity),
    )


def _key(fact: CommandFact) -> str:
    usual = fact.sensitivity == Sensitivity.named(settings.DEFAULT_SENSITIVITY)
    return _keys(fact)[0] if usual else f"{_keys(fact)[0]}-{Sensitivity(fact.sensitivity).label}"


def _keys(fact: CommandFact) -> list[str]:
    """Of all levels: what was dismissed at one is not said at another."""
    plain = text.slug(f"commands for {fact.purpose} in {fact.place or 'scope'}")
    return [plain, *(f"{plain}-{label}" for label in Sensitivity.labels)]
