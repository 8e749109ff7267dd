"""Which of the lines that the model proposed are kept."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from consolidation.extraction import transcripts
from consolidation.extraction.transcripts import comparable
from consolidation.learning.facts.findings import Language
from consolidation.model_lines import line_losses
from consolidation.model_lines.line_answers import MOST_LINES, ModelLine, ModelLines
from consolidation.model_lines.line_checks import Side, Vocabulary, refusal
from consolidation.model_lines.line_losses import Effect, Store
from consolidation.model_lines.line_texts import sentence, written
from consolidation.models import RunStep
from consolidation.pipelines import recorded
from memories.models import Episode, Memory

MOST_KEPT = 5  # of one version


@dataclass(frozen=True)
class KeptLine:
    """A line with the runs that it comes from. `sentence`: its words without the counts."""

    sentence: str
    text: str
    runs: tuple[UUID, ...]
    effect: Effect


@dataclass(frozen=True)
class _Candidate:
    line: ModelLine
    language: Language
    success: Side
    failure: Side

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for lines that are measured alike."""
        line = self.line
        return line.do, line.tool, line.argument, comparable(line.value), comparable(line.sign)


def judge(memory: Memory, steps: Iterable[RunStep]) -> tuple[list[KeptLine], Counter[str]]:
    """The lines that are kept, the most useful ones first, and what became of the others.

    Counters: lines_proposed, lines_kept, not_proven (a quote or sign is not there), unknown_tool, not_different (the
    success did not do so, or the failure did), instruction_like, identifying, unmeasured (it concerns no run of another
    case), lost (a run that ended well did otherwise), surplus.
    """
    store, counters = line_losses.store_of(memory), Counter[str]()
    vocabulary, groups = Vocabulary(store.runs, store.rules), dict[tuple[object, ...], list[_Candidate]]()
    for one in _candidates(steps):
        counters["lines_proposed"] += 1
        if reason := refusal(one.line, one.success, one.failure, store.rules, vocabulary):
            counters[reason] += 1
        else:
            groups.setdefault(one.key, []).append(one)
    measured = [_measured(group, store) for group in groups.values()]
    counters["lost"] = sum(line.effect.lost > 0 for line in measured)
    counters["unmeasured"] = sum(not line.effect.concerned for line in measured)
    kept = sorted(filter(_loses_nothing, measured), key=lambda line: (-line.effect.gained, -line.effect.concerned))
    counters["lines_kept"], counters["surplus"] = len(kept[:MOST_KEPT]), len(kept[MOST_KEPT:])
    return kept[:MOST_KEPT], +counters


def _loses_nothing(line: KeptLine) -> bool:
    return line.effect.concerned > 0 and line.effect.lost == 0


def _candidates(steps: Iterable[RunStep]) -> Iterator[_Candidate]:
    """The lines of the answers that are kept, each with the two runs as they are stored now."""
    for step in steps:
        ids = [step.success_id, step.failure_id]
        runs = {run.id: run for run in recorded.runs([one for one in ids if one])}
        episodes = Episode.objects.in_bulk(list(runs))
        if step.answer is None or len(episodes) < len(ids):
            continue
        success, failure = (Side(transcripts.of(episodes[one]), runs[one]) for one in ids if one)
        for line in ModelLines.model_validate(step.answer).lines[:MOST_LINES]:
            yield _Candidate(line, success.transcript.language, success, failure)


def _measured(group: Sequence[_Candidate], store: Store) -> KeptLine:
    first = group[0]
    cases = {one.success.run.thread for one in group}
    effect = store.effect(first.line, cases)
    runs = dict.fromkeys(side.run.id for one in group for side in (one.success, one.failure))
    text = written(first.line, effect, cases=len(cases), language=first.language)
    return KeptLine(sentence(first.line, first.language), text, tuple(runs), effect)
