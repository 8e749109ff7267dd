"""One run for each skill whose cases the language model compares; what is kept becomes a proposed version, in which
lines of a model are marked as such, beside the runs they come from.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from consolidation import execution
from consolidation.case_comparison import Comparison, compare, end
from consolidation.execution import never
from consolidation.model_lines.case_pairs import NO_CASE, NOT_LIVE, pairs_of, refusal
from consolidation.model_lines.kept_lines import KeptLine, judge
from consolidation.model_lines.line_losses import store_of
from consolidation.models import Run
from consolidation.models.worth import SkillLines
from consolidation.trying_again import order_once
from memories.models import Episode, Memory
from memories.models.episode import EpisodeQuerySet
from memories.values.choices import LIVE, ActorKind
from memories.values.exceptions import Conflict
from memories.values.trust import Actor
from skills import publishing, revising, storages
from skills.manifest import Fields
from skills.models import Skill, SkillVersion
from skills.publishing import PreparedVersion
from skills.scanning import WRITTEN_BY_MODEL

KIND = "contrast"


def request(memory: Memory, *, trigger: Run.Trigger, at: datetime) -> Run:
    """Queue the comparison for a skill, as `order_once`."""
    with transaction.atomic():
        Memory.objects.select_for_update(of=("self",)).get(pk=memory.pk)  # two requests make one run
        place = {"scope": memory.scope, "sensitivity": memory.sensitivity}
        run = Run(kind=KIND, subject=memory.pk, trigger=trigger, **place)
        return order_once(run, lambda: refusal(memory) or ("" if pairs_of(memory) else NO_CASE), at=at)


def process_queue(*, now: Callable[[], datetime] = timezone.now, should_stop: Callable[[], bool] = never) -> int:
    """Process queued runs until there is none, or the model cannot be asked, or `should_stop`; how many."""
    work = partial(process, now=now, should_stop=should_stop)
    return execution.process_queue(KIND, work, now=now, should_stop=should_stop)


def process(run: Run, *, now: Callable[[], datetime] = timezone.now, should_stop: Callable[[], bool] = never) -> None:
    """The work of a run that was begun: ask for each case, then judge and write what is left."""
    memory = Memory.objects.filter(pk__in=[run.subject]).first()
    if reason := refusal(memory):
        return end(run, Run.Status.SKIPPED, {}, at=now(), error=reason)
    assert memory is not None
    write, pairs = partial(_write, run, memory), partial(pairs_of, memory)
    return compare(Comparison(run, memory.sensitivity, pairs, NO_CASE, write, now, should_stop))


def _write(run: Run, memory: Memory, counters: Counter[str], error: str, at: datetime) -> None:
    lines, judge_counters = judge(run.steps.all(), store_of(memory))
    counters += judge_counters

    def finish(written: int) -> None:
        counters["lines_written"], counters["versions_proposed"] = written, int(written > 0)
        end(run, Run.Status.SUCCEEDED, +counters, at=at, error=error)

    try:
        propose(memory, lines, run=run, at=at, and_then=finish)
    except Conflict:
        end(run, Run.Status.SKIPPED, {}, at=at, error=NOT_LIVE)


BY = Actor(ActorKind.SYSTEM, "Memos", "contrast")
FIELD = "experience"
MOST_TRIES = 3  # where the skill or its runs change while a version is packed


class _Changed(Exception):
    """What the version was made from is not as it was; nothing was written."""


def propose(
    memory: Memory, lines: Sequence[KeptLine], *, run: Run, at: datetime, and_then: Callable[[int], None]
) -> None:
    """Propose the skill's current version with these lines, and call `and_then` in the same transaction with how many.

    0: none is new, or each was in a version that a person rejected. What comes from a conversation that was forgotten
    or became too secret meanwhile is left out. Conflict: the skill is no longer live. Not inside a transaction.
    """
    for _ in range(MOST_TRIES):
        skill = Skill.objects.get(pk=memory.pk)
        base = skill.current
        new = [line for line in lines if base and _is_new(memory, skill, base, line)]
        if base is None or not new:
            return and_then(0)
        version = _prepare(skill, base, new)
        try:
            return _write_version(memory, base, version, new, run=run, at=at, and_then=and_then)
        except (_Changed, IntegrityError):
            _withdraw(version)
    raise _Changed(f"{memory.pk} changes all the time")


def _is_new(memory: Memory, skill: Skill, base: SkillVersion, line: KeptLine) -> bool:
    """Whether neither the version nor one that a person rejected says so, and its runs are still there."""
    rejected_texts = skill.versions.filter(status=SkillVersion.Status.REJECTED).values_list(
        f"fields__{FIELD}", flat=True
    )
    texts_so_far = [text for texts in (base.fields.get(FIELD), *rejected_texts) for text in texts or []]
    is_known = any(text.startswith(line.sentence) for text in texts_so_far)
    return not is_known and _are_there(memory, line.runs).count() == len(line.runs)


def _prepare(skill: Skill, base: SkillVersion, lines: Sequence[KeptLine]) -> PreparedVersion:
    texts = [*(base.fields.get(FIELD) or []), *(line.text for line in lines)]
    fields = Fields.model_validate({**base.fields, FIELD: texts})
    files = revising.extra_files(base)
    version = publishing.prepare(fields, scope=skill.scope, number=publishing.next_number(skill), extras=files)
    rows = version.package.skill_md.splitlines()
    marks: list[dict[str, object]] = [
        {"rule": WRITTEN_BY_MODEL, "severity": "medium", "file": "SKILL.md", "line": number, "excerpt": line.sentence}
        for line in lines
        for number, row in enumerate(rows, 1)
        if line.sentence in row
    ]
    return replace(version, findings=[*version.findings, *marks])


def _write_version(
    memory: Memory,
    base: SkillVersion,
    version: PreparedVersion,
    lines: Sequence[KeptLine],
    *,
    run: Run,
    at: datetime,
    and_then: Callable[[int], None],
) -> None:
    with transaction.atomic():
        runs = {run_id for line in lines for run_id in line.runs}
        if len(_are_there(memory, runs).select_for_update(of=("self",)).order_by("pk")) < len(runs):
            raise _Changed
        memory.lock_for("propose", LIVE)
        skill = Skill.objects.get(pk=memory.pk)
        if skill.current != base:
            raise _Changed
        made_by, why = SkillVersion.MadeBy.EXTRACTION, f"{len(lines)} lines by a language model: success beside failure"
        publishing.propose(skill, version, made_by=made_by, by=BY, at=at, changelog=why, run_id=run.pk)
        rows = [
            {"text": line.text, "runs": [str(run_id) for run_id in line.runs], "of": len(line.runs)} for line in lines
        ]
        SkillLines.objects.add_of_model(memory, FIELD, rows, at=at)
        and_then(len(lines))


def _are_there(memory: Memory, runs: Collection[UUID]) -> EpisodeQuerySet:
    """Those of the conversations that were not forgotten, nor became more secret than the skill."""
    return Episode.objects.filter(pk__in=runs, memory__sensitivity__lte=memory.sensitivity, extract=True)


def _withdraw(version: PreparedVersion) -> None:
    """Delete the package now: it may quote what was just forgotten. Another version with the same content keeps it."""
    if not SkillVersion.objects.filter(package=version.path).exists():
        storages.delete(version.path)
