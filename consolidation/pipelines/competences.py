"""Second half of consolidation: patterns with new sightings become competences and proposed skill versions.

The pattern's row is the queue (`due`): first read and learn, then store the package, then write in one short
transaction. A worker that dies in between leaves the pattern due, and the next run has the same result.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from uuid import UUID

from django.conf import settings
from django.db import transaction

from consolidation.learning.comparison.vocabulary import Vocabulary
from consolidation.learning.effects.effects import are_chores, are_of_lines
from consolidation.learning.effects.places import with_place
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.run import Run
from consolidation.learning.writing.competence import Competence, learn
from consolidation.models import Pattern, Sighting
from consolidation.pipelines import competence_writing, recorded
from consolidation.pipelines.attempts import Checkpoint, attempt_one, no_checkpoint
from consolidation.pipelines.tool_rules import tool_rules
from memories.intake.admission import dismissed_key
from memories.intake.episodes.copies import copies
from memories.intake.evidence import record_suppressed
from memories.models import Episode, Memory, Tombstone
from memories.values.choices import LIVE
from memories.values.field_types import competence_key
from skills.manifest import TrackRecord
from skills.models import SkillName

RUNS_OF_PATTERN = 200
RUNS_OF_SCOPE = 500


@dataclass(frozen=True)
class Background:
    """The runs that a pattern is compared with: the scope's latest of its sensitivity and below, loaded once a run."""

    runs: list[Run]
    rules: ToolRules

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.runs)


def write_competences(
    scope: str, *, run_id: UUID, at: datetime, checkpoint: Checkpoint = no_checkpoint
) -> Counter[str]:
    """Write the competence of every due pattern of a scope; returns counters of competences, versions and failures."""
    counters: Counter[str] = Counter()
    backgrounds: dict[int, Background] = {}
    Pattern.objects.wake_parts(scope)
    for pattern in Pattern.objects.due().in_order().filter(scope=scope).select_related("memory__skill"):
        if pattern.sensitivity not in backgrounds:
            backgrounds[pattern.sensitivity] = _background(scope, pattern.sensitivity)
        work = partial(_write, pattern, backgrounds[pattern.sensitivity], run_id=run_id, at=at)
        counters.update(attempt_one(pattern, work))
        checkpoint(0, counters)
    return counters


def _write(pattern: Pattern, background: Background, *, run_id: UUID, at: datetime) -> Counter[str]:
    memory = pattern.memory
    if memory is None and not is_ripe(pattern):
        pattern.save_written()
        return Counter()
    if memory is not None and memory.status not in LIVE:
        return _suppress(pattern, memory)
    if memory is None and (tombstone := _blocking_tombstone(pattern)):
        return _suppress_forgotten(pattern, tombstone, at=at)
    if memory is not None and not (pattern.successes or pattern.failures or pattern.partials):
        return _take_back(pattern, memory, at=at)
    competence = _learn(pattern, background)
    if memory is None and competence.is_common_practice:
        pattern.save_written()
        return Counter()
    return _put(pattern, memory, competence, run_id=run_id, at=at)


def _take_back(pattern: Pattern, memory: Memory, *, at: datetime) -> Counter[str]:
    """None of its runs counts any more: update its evidence, and ask nobody about it while it is a candidate."""
    with transaction.atomic():
        counters = competence_writing.count(pattern, memory, founding=False, at=at)
        pattern.waits = False
        pattern.save_written()
    return counters


def _put(
    pattern: Pattern, memory: Memory | None, competence: Competence, *, run_id: UUID, at: datetime
) -> Counter[str]:
    """Store what was learned, as a new competence or in its memory."""
    version = competence_writing.prepare(memory, competence, scope=pattern.scope)
    with transaction.atomic():
        if memory is None and (memory := competence_writing.without_skill(pattern)):
            competence_writing.take(memory, pattern, competence)
            is_new = False
        elif memory is None:
            admission = competence_writing.admit(pattern, competence, at=at)
            if admission.dismissal.blocking is not None:
                return _suppress_forgotten(pattern, admission.dismissal.blocking, at=at)
            assert admission.memory is not None
            memory, is_new = competence_writing.create(admission.memory, pattern, competence, at=at), True
        else:
            memory.refresh_from_db(from_queryset=Memory.objects.select_for_update())
            is_new = False
            if memory.status not in LIVE:  # a person was faster: the pattern stays due, the next run suppresses
                return Counter()
        counters = competence_writing.count(pattern, memory, founding=is_new, at=at)
        competence_writing.keep_lines(memory, competence, at=at)
        competence_writing.keep_contrast(memory, competence)
        if version:
            proposal_counts = competence_writing.propose(
                memory, competence, version, created=is_new, run_id=run_id, at=at
            )
            counters.update(proposal_counts)
        pattern.waits = waits(pattern, competence)
        pattern.save_written()
    return counters


def _background(scope: str, sensitivity: int) -> Background:
    episodes = Episode.objects.filter(scope=scope, memory__sensitivity__lte=sensitivity)
    episodes = episodes.with_end().exclude(pk__in=copies(episodes).values("pk")).order_by("-closed_at", "-pk")
    latest = list(episodes.only("pk", "environment")[:RUNS_OF_SCOPE])
    rules = tool_rules(reversed(latest))
    runs = recorded.runs([episode.pk for episode in latest])
    return Background([with_place(run, rules) for run in runs], rules)


def _learn(pattern: Pattern, background: Background) -> Competence:
    ids = list(pattern.sightings.newest(RUNS_OF_PATTERN).values_list("episode_id", flat=True))
    runs = {run.id: run for run in background.runs}
    older = [episode_id for episode_id in ids if episode_id not in runs]  # or more secret since it was counted
    readable = Episode.objects.filter(pk__in=older, memory__sensitivity__lte=pattern.sensitivity)
    missing = recorded.runs(list(readable.values_list("pk", flat=True)))
    runs.update({run.id: with_place(run, background.rules) for run in missing})
    return learn(
        effects=frozenset(pattern.effects),
        runs=[runs[episode_id] for episode_id in ids if episode_id in runs],
        other_runs=background.runs,
        record=_record(pattern),
        taken=_names_in_use(pattern),
        rules=background.rules,
        vocabulary=background.vocabulary,
    )


def _suppress(pattern: Pattern, memory: Memory) -> Counter[str]:
    """Record new sightings of a competence that people dismissed or retracted, each once, and nothing else."""
    with transaction.atomic():
        sightings = list(pattern.sightings.to_suppress())
        moments = {witness.at: witness.snapshot for witness in competence_writing.witnesses(sightings)}
        record_suppressed(memory, moments, source=competence_writing.SOURCE)
        count = pattern.sightings.suppressed(sighting.pk for sighting in sightings)
        pattern.save_written()
    return Counter(suppressed=count)


def _blocking_tombstone(pattern: Pattern) -> Tombstone | None:
    """The tombstone of a competence that a person dismissed or had forgotten; None if it may be written."""
    keys = [competence_key(f"skill:{pattern.signature}"), *pattern.former]
    return dismissed_key(pattern.scope, *keys)


def _suppress_forgotten(pattern: Pattern, tombstone: Tombstone, *, at: datetime) -> Counter[str]:
    with transaction.atomic():
        count = pattern.sightings.uncounted().counted()
        Tombstone.objects.filter(pk=tombstone.pk).hit(at=at)
        pattern.save_written()
    return Counter(suppressed=count)


def _record(pattern: Pattern) -> TrackRecord:
    return TrackRecord(
        successes=pattern.successes,
        failures=pattern.failures,
        partials=pattern.partials,
        since=pattern.first_seen_at.date().isoformat(),
        until=pattern.last_seen_at.date().isoformat(),
    )


def _names_in_use(pattern: Pattern) -> list[str]:
    names = SkillName.objects.filter(scope=pattern.scope)  # former names too
    if pattern.memory_id:
        names = names.exclude(skill=pattern.memory_id)
    return list(names.values_list("name", flat=True))


ENOUGH = 5  # cases after which a combination of skills is one of its own
ALIKE = 0.75  # share of common effects above which two sets are hardly two skills


def is_ripe(pattern: Pattern) -> bool:
    """Enough cases ended well; more of them where other skills say most of it already.

    Command lines that only edited and tidied up are none: nothing tells when to do that, or whether it is enough.
    That is a combination of effects whose parts are skills (each says what it often goes with), and a set that hardly
    differs from one that more cases speak for.
    """
    least = settings.MIN_PATTERN_OCCURRENCES
    if pattern.kind != Pattern.Kind.EFFECTS:
        return pattern.cases >= least
    if are_chores(pattern.effects) or (pattern.cases < least and not _is_part(pattern, least)):
        return False
    if pattern.cases >= max(ENOUGH, least):
        return True
    kin = Pattern.objects.kin(pattern).ripe(least).filter(effects__overlap=pattern.effects)
    return not _is_covered_by(pattern, kin.only("effects", "cases"))


def waits(pattern: Pattern, competence: Competence) -> bool:
    """Whether a person is asked about the skill. Otherwise it is only kept: to be found, and to grow.

    Not asked about: to change nothing, which is a lesson and no skill; what says no more than its name ("Create a
    ticket. Use when asked to create a ticket"); what ended well by itself in too few cases; and where those are few,
    what mostly ended well as a part of more: as a skill of its own it has the next run stop early.
    """
    if pattern.kind != Pattern.Kind.EFFECTS:
        return True
    if not pattern.effects or not competence.separates:
        return False
    if pattern.cases < settings.MIN_PATTERN_OCCURRENCES:
        return False
    return pattern.cases >= ENOUGH or 2 * pattern.cases >= _cases_with(pattern)


def _is_part(pattern: Pattern, least: int) -> bool:
    """Whether its effects ended well alone, and with further effects in enough other cases."""
    if not pattern.cases or not pattern.effects or are_of_lines(pattern.effects):
        return False  # what a command line is a part of says little
    return _cases_with(pattern) >= least


def _cases_with(pattern: Pattern) -> int:
    """How many cases with its effects, and possibly others, ended well."""
    wider = Pattern.objects.kin(pattern).filter(effects__contains=pattern.effects)
    return Sighting.objects.filter(pattern__in=[pattern.pk, *wider.values_list("pk", flat=True)]).cases_well()


def _is_covered_by(pattern: Pattern, kin: Iterable[Pattern]) -> bool:
    own, parts = set(pattern.effects), set[str]()
    for other in kin:
        theirs = set(other.effects)
        parts |= theirs if theirs < own else set()
        alike = len(own & theirs) / len(own | theirs)
        if alike > ALIKE and (other.cases, other.pk) > (pattern.cases, pattern.pk):
            return True
    return bool(own) and parts == own
