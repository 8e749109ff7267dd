"""Outcomes that nobody reported, read from runs: from a run's last check, and from what its user said next.

Each run is read when it is digested, before anything is learned from it. What a higher source said stays; what is read
is kept beside it, so that it can be compared with people's labels.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from consolidation.learning.comparison.last_checks import last_check
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.run import Message, Run
from consolidation.learning.statements.outcome_statements import says_it_worked
from consolidation.learning.statements.text_edits import final_text
from consolidation.learning.statements.text_statements import kind_of_text, says_it_was_taken, text_rules
from consolidation.pipelines import recorded
from consolidation.pipelines.recorded import MOST_EVENTS, Recording
from consolidation.pipelines.tool_rules import rules_of_each
from memories.intake.episodes import agreement, closing
from memories.models import Episode
from memories.models.ending import OUTCOME_FIELDS, EndStatement
from memories.scanning import credentials
from memories.values import roles
from memories.values.choices import Outcome, OutcomeSource
from memories.values.trust import SYSTEM

LONGEST_QUOTE = 200


def infer(recordings: Sequence[Recording], *, at: datetime) -> list[Recording]:
    """The recordings with the outcomes that can be read from them; what a run says of another one is stored there.

    The caller has locked the episodes.
    """
    by_id = {one.episode.pk: one for one in recordings}
    by_episode: dict[UUID, list[EndStatement]] = defaultdict(list)
    rules_of = rules_of_each()
    for recording in recordings:
        for about, statement in _statements(recording, rules_of, at=at):
            by_episode[about].append(statement)
    counting = agreement.counting() if by_episode else None
    for about, statements in by_episode.items():
        if counting and about in by_id:
            voice = by_id[about].episode.memory.created_by_id
            by_id[about] = _told(by_id[about], statements, counting.of(voice), at=at)
        else:
            for statement in statements:
                closing.hear(Episode(pk=about), statement, by=SYSTEM, at=at)
    return [by_id[one.episode.pk] for one in recordings]


def _statements(
    recording: Recording, rules_of: Callable[[Episode], ToolRules], *, at: datetime
) -> Iterator[tuple[UUID, EndStatement]]:
    """(episode that it is about, what is said)."""
    episode, run = recording.episode, _end_of(recording)
    if (check := last_check(run, rules_of(episode))) is not None:
        details = {"check": check.check[:LONGEST_QUOTE], **({"committed": True} if check.committed else {})}
        yield episode.pk, _statement(OutcomeSource.CHECKS, check.passed, check.check, details, at=at)
    if (last := _last_words(run)) and (worked := _worked(last, run)) is not None:
        yield episode.pk, _of_user(last, worked, at=at)
    if episode.thread_id and recording.run.user_messages:
        first = recording.run.user_messages[0]
        worked = says_it_worked(first.text)
        before = _run_before(episode) if worked is not None else None
        if before and worked is not None:
            yield before, _of_user(first, worked, at=at)


def _worked(last_message: Message, run: Run) -> bool | None:
    """What the user's last words say of the work; of a text also that it was used, or that somebody wrote it anew. What
    is still to be changed leaves it open."""
    request = run.user_messages[0].text
    if not (kind := kind_of_text(request)):
        return says_it_worked(last_message.text)
    if text_rules(last_message.text, request, kind):
        return None
    is_taken = says_it_was_taken(last_message.text)
    if is_taken is None and final_text(last_message.text):
        return True
    return says_it_worked(last_message.text) if is_taken is None else is_taken


def _end_of(recording: Recording) -> Run:
    """The run with its last events, which `read` cuts off where there are too many."""
    return recording.run if recording.episode.event_count <= MOST_EVENTS else recorded.read_end(recording.episode)


def _of_user(message: Message, worked: bool, *, at: datetime) -> EndStatement:
    quote = credentials.masked(" ".join(message.text.split()))[:LONGEST_QUOTE]
    return _statement(OutcomeSource.USER, worked, "", {"quote": quote}, at=at)


def _statement(source: OutcomeSource, well: bool, by: str, details: dict[str, Any], *, at: datetime) -> EndStatement:
    return EndStatement(source, Outcome.SUCCESS if well else Outcome.FAILURE, at, by[:200], details)


def _last_words(run: Run) -> Message | None:
    """The user's last message, where it came after all work, and is no request of its own."""
    positions = [call.position for call in run.steps]
    agent_positions = [passage.position for passage in run.messages_of(roles.ASSISTANT)]
    last = run.user_messages[-1] if len(run.user_messages) > 1 else None
    if last is None or not agent_positions or last.position < max(positions, default=0):
        return None
    return last if min(agent_positions) < last.position else None


def _run_before(episode: Episode) -> UUID | None:
    """The run before this one in its thread."""
    rows = Episode.objects.filter(memory__thread_id=episode.thread_id, scope=episode.scope, source=episode.source)
    earlier = rows.filter(closed_at__isnull=False, last_event_at__lt=episode.last_event_at, pk__lt=episode.pk)
    return earlier.order_by("-last_event_at", "-pk").values_list("pk", flat=True).first()


def _told(
    recording: Recording, statements: Sequence[EndStatement], counting: Collection[str], *, at: datetime
) -> Recording:
    """The recording with what is said of its run, stored; its counts follow, for it is just being read."""
    episode = recording.episode
    statements_known = episode.statements()
    outcomes_before = {name: (end.outcome, end.details) for name, end in statements_known.items()}
    statements_known |= {statement.source.value: statement for statement in statements}
    if outcomes_before == {name: (end.outcome, end.details) for name, end in statements_known.items()}:
        return recording
    former = episode.outcome, episode.outcome_source
    episode.hold_highest(statements_known, counting)
    episode.save(update_fields=OUTCOME_FIELDS)
    if (episode.outcome, episode.outcome_source) != former:
        closing.note(episode, former, by=SYSTEM, at=at)
    outcome: Any = episode.counted_outcome
    run, calls = (replace(part, outcome=outcome) for part in (recording.run, recording.calls))
    return replace(recording, run=run, calls=calls)
