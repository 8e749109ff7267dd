"""What is known of one place: which commands start there, which do not, and what people confirmed about it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from consolidation.learning.commands.forms import usual_shape
from consolidation.learning.commands.shell import line_in
from consolidation.learning.effects.command_starts import CaseAttempt, Form, Tally, tally
from consolidation.learning.facts.startups import Startups
from consolidation.learning.wording import Language
from consolidation.models.commands import CommandAttempt, CommandFact
from consolidation.places.known_places import SHOWN_PURPOSES, is_safe, tellable
from memories.models import Event, Evidence, Memory
from memories.models.subject import Mention, subject_id
from memories.values.choices import BELIEVED, Type
from memories.values.speakers import ReviewedFor
from memories.values.text import plain_name
from memories.values.trust import Trust

MOST_COUNTED = 3_000  # attempts, the latest
MOST_MEMORIES, MOST_CALLS = 10, 20
ANYBODY = "anybody"  # a reader who said nothing itself


@dataclass(frozen=True)
class PlaceCommand(Form):
    """A form of a command with its counts. `usual`: how it is usually called, where most calls are alike.

    `episodes`: the latest runs that showed it, newest first. `fact`: in which the latest of them is counted. `memory`:
    by whose dismissal the line goes: it states the line, else another one of its purpose; None where nothing is stated.
    """

    purpose: str
    starts: bool
    last_at: datetime
    episodes: tuple[UUID, ...]
    fact: CommandFact
    memory: Memory | None = None
    usual: str = ""


@dataclass(frozen=True)
class PlaceKnowledge:
    """`runs`: whose commands are counted. `language`: of most of the requests, in which AGENTS.md is written.

    `memories`: what people or several agents said of this place.
    """

    name: str
    runs: int = 0
    last_at: datetime | None = None
    language: Language = "en"
    starting: list[PlaceCommand] = field(default_factory=list)
    failing: list[PlaceCommand] = field(default_factory=list)
    memories: list[Memory] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.starting or self.failing or self.memories)

    def instead_of(self, command: PlaceCommand) -> list[str]:
        """The forms of the same purpose that start."""
        return [one.form for one in self.starting if one.purpose == command.purpose]


def knowledge_of(names: Sequence[str], trust: Trust, *, at: datetime, memories: bool = True) -> PlaceKnowledge:
    """What the caller may know of the place that runs know by these names. Empty: nothing is known.

    `memories`: also what people and agents said of it.
    """
    if not names or not is_safe(*names):
        return PlaceKnowledge(names[0] if names else "")
    facts = {fact.pk: fact for fact in tellable(CommandFact.objects.filter(place__in=names), trust)}
    shown = _attempts(facts)
    by_purpose: dict[str, list[CommandAttempt]] = defaultdict(list)
    edited: list[Memory] = []
    for fact in facts.values():
        memory = fact.memory
        if memory is not None and (fact.command or memory.content != fact.words):
            edited.append(memory)  # in a person's words, which hold beside any count, or about options
        elif not fact.command and (memory is not None or not _findings(fact, shown[fact.pk]).claims()):
            by_purpose[fact.purpose] += shown[fact.pk]
    commands = [command for purpose, rows in by_purpose.items() for command in _commands(purpose, rows, facts)]
    rows = [row for attempts in shown.values() for row in attempts]
    runs = {row.episode_id for row in rows}
    memories_shown = [*edited, *_said_of(names, runs, trust, at=at)] if memories else edited
    languages = [fact.language for fact in facts.values() if fact.memory_id]
    return PlaceKnowledge(
        name=names[0],
        runs=len(runs),
        last_at=max((row.at for row in rows), default=None),
        language="zh" if 2 * languages.count("zh") > len(languages) else "en",
        starting=_ordered(command for command in commands if command.starts),
        failing=_ordered(command for command in commands if not command.starts),
        memories=memories_shown[:MOST_MEMORIES],
    )


def _attempts(facts: Iterable[UUID]) -> dict[UUID, list[CommandAttempt]]:
    """The latest attempts of each fact, in the order in which they happened."""
    rows = CommandAttempt.objects.filter(fact__in=list(facts)).order_by("-at", "-pk")[:MOST_COUNTED]
    by_fact: dict[UUID, list[CommandAttempt]] = defaultdict(list)
    for row in reversed(rows):
        by_fact[row.fact_id].append(row)
    return by_fact


def _findings(fact: CommandFact, rows: Sequence[CommandAttempt]) -> Startups:
    return Startups(fact.place, fact.purpose, _tallies(rows))


def _tallies(rows: Iterable[CommandAttempt]) -> dict[str, Tally]:
    return tally(CaseAttempt(row.form, row.case, row.started) for row in rows)


def _commands(purpose: str, rows: Sequence[CommandAttempt], facts: dict[UUID, CommandFact]) -> Iterable[PlaceCommand]:
    """The forms that reliably start or fail to, unless the latest runs say otherwise."""
    ordered = sorted(rows, key=lambda row: (row.at, row.pk))
    by_form: dict[str, list[CommandAttempt]] = defaultdict(list)
    for row in ordered:
        by_form[row.form].append(row)
    for form, tallied in _tallies(ordered).items():
        if tallied.starts is None or tallied.has_turned(tallied.starts) or not is_safe(form):
            continue
        if tallied.starts and purpose not in SHOWN_PURPOSES:
            continue
        agreeing = [row for row in reversed(by_form[form]) if row.started == tallied.starts]
        behind = sorted((facts[row.fact_id] for row in agreeing), key=lambda fact: form not in fact.said)
        yield PlaceCommand(
            form=form,
            runs=tallied.runs,
            started=tallied.started,
            latest=tallied.latest,
            purpose=purpose,
            starts=tallied.starts,
            last_at=agreeing[0].at,
            episodes=tuple(row.episode_id for row in agreeing),
            fact=facts[agreeing[0].fact_id],
            memory=next((fact.memory for fact in behind if fact.memory is not None), None),
            usual=_usual_call(form, agreeing[:MOST_CALLS]) if tallied.starts else "",
        )


def _usual_call(form: str, rows: Sequence[CommandAttempt]) -> str:
    """How these runs called it, where most did so alike."""
    cases = {row.episode_id: row.case for row in rows}
    calls = Event.objects.first_calls(cases, containing=form)
    lines = Event.objects.filter(pk__in=calls.values()).values_list("episode_id", "args")
    return usual_shape(form, [(cases[episode], line_in(args)) for episode, args in lines])


def _ordered(commands: Iterable[PlaceCommand]) -> list[PlaceCommand]:
    """By purpose, the commonest first."""
    places = {purpose: n for n, purpose in enumerate(SHOWN_PURPOSES)}
    return sorted(commands, key=lambda one: (places.get(one.purpose, len(places)), one.purpose, -one.runs, one.form))


def _said_of(names: Sequence[str], runs: set[UUID], trust: Trust, *, at: datetime) -> "QuerySet[Memory]":
    """What is believed about this place, by a person or by several agents: it names the place, or is known from runs
    in it alone."""
    spelled = {plain_name(part) for name in names for part in (name, name.rsplit("/", 1)[-1]) if part}
    naming = Mention.objects.filter(subject__in=[subject_id(name) for name in spelled]).values("memory")
    rows = Memory.objects.offered_to(trust).filter(status__in=BELIEVED, type=Type.SEMANTIC, flags=[]).unexpired(at)
    behind = Evidence.objects.filter(memory=OuterRef("pk"), episode__isnull=False)
    from_here = Exists(behind.filter(episode__in=runs)) & ~Exists(behind.exclude(episode__in=runs))
    rows = rows.filter(Q(pk__in=naming) | from_here, ReviewedFor(ANYBODY).q("")).exclude(commandfact__isnull=False)
    memories: QuerySet[Memory] = rows.order_by("-confidence", "-created_at", "-pk")[:MOST_MEMORIES]
    return memories
