"""Which of the lines that the model proposed are kept."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from consolidation.extraction import transcripts
from consolidation.extraction.transcripts import comparable
from consolidation.learning.wording import Language
from consolidation.model_lines.line_answers import MOST_LINES, ModelLine, ModelLines
from consolidation.model_lines.line_checks import IDENTIFYING, Side, Vocabulary, refusal
from consolidation.model_lines.line_losses import Effect, Store
from consolidation.models import RunStep
from consolidation.pipelines import recorded
from memories.models import Episode

MOST_KEPT = 5  # of one version, or of one run for lessons
RECORD = {
    "en": " (written by a language model; cases: {cases}; other runs that it concerns: {concerned}, "
    "did otherwise and failed: {gained}, did otherwise and ended well: {lost})",
    "zh": "（由语言模型写成；案例：{cases}；相关的其他运行：{concerned}，未照做失败：{gained}，未照做成功：{lost}）",
}
TELLS_WHO = "a line was refused because it may identify a person: {}"
Measured = Callable[[Collection[UUID], int], Store]


@dataclass(frozen=True)
class KeptLine:
    """A line with the runs that it comes from, and what is quoted of each. `sentence`: its words without the counts;
    `name`: equal for lines that are measured alike; `cases`: of how many it was written."""

    sentence: str
    text: str
    quotes: Mapping[UUID, str]
    effect: Effect
    name: str
    cases: int

    @property
    def runs(self) -> tuple[UUID, ...]:
        return tuple(self.quotes)


@dataclass(frozen=True)
class _Candidate:
    line: ModelLine
    language: Language
    success: Side
    failure: Side
    level: int
    step: RunStep

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for lines that are measured alike."""
        line = self.line
        return line.do, line.tool, line.argument, comparable(line.value), comparable(line.sign)

    @property
    def case(self) -> frozenset[str]:
        return frozenset({self.success.run.thread, self.failure.run.thread})


def judge(
    steps: Iterable[RunStep], store: Store, *, measured_on: Measured | None = None, least_gained: int = 0
) -> tuple[list[KeptLine], Counter[str]]:
    """The lines that are kept, the most useful ones first, and what became of the others.

    `measured_on`: the store for the runs of a line and their highest sensitivity, if it is not always this one;
    `least_gained`: of a line that is kept.

    Counters: lines_proposed, lines_kept, not_proven (a quote or sign is not there), unknown_tool, not_different (the
    success did not do so, or the failure did), instruction_like, identifying, unmeasured (it concerns no run of another
    case), lost (a run that ended well did otherwise), surplus. Of one that is identifying its step says by which words.
    """
    vocabulary, counters = Vocabulary(store.runs, store.rules), Counter[str]()
    groups: dict[tuple[object, ...], list[_Candidate]] = {}
    for candidate in _candidates(steps):
        counters["lines_proposed"] += 1
        if reason := refusal(candidate.line, candidate.success, candidate.failure, store.rules, vocabulary):
            counters[reason] += 1
            if reason == IDENTIFYING:
                candidate.step.explain(TELLS_WHO.format(", ".join(vocabulary.identifying(candidate.line))))
        else:
            groups.setdefault(candidate.key, []).append(candidate)
    measured_lines = [_measured(group, measured_on or (lambda runs, level: store)) for group in groups.values()]
    counters["lost"] = sum(line.effect.lost > 0 for line in measured_lines)
    useless = [line for line in measured_lines if line.effect.gained < least_gained or not line.effect.concerned]
    counters["unmeasured"] = sum(not line.effect.lost for line in useless)
    good = [line for line in measured_lines if not line.effect.lost and line not in useless]
    best = sorted(good, key=lambda line: (-line.effect.gained, -line.effect.concerned))
    counters["lines_kept"], counters["surplus"] = len(best[:MOST_KEPT]), len(best[MOST_KEPT:])
    return best[:MOST_KEPT], +counters


def _candidates(steps: Iterable[RunStep]) -> Iterator[_Candidate]:
    """The lines of the answers that are kept, each with the two runs as they are stored now."""
    for step in steps:
        ids = [step.success_id, step.failure_id]
        runs = {run.id: run for run in recorded.runs([episode_id for episode_id in ids if episode_id])}
        episodes = Episode.objects.select_related("memory").in_bulk(list(runs))
        if step.answer is None or len(episodes) < len(ids):
            continue
        success, failure = (
            Side(transcripts.of(episodes[episode_id]), runs[episode_id]) for episode_id in ids if episode_id
        )
        level = max(episode.memory.sensitivity for episode in episodes.values())
        for line in ModelLines.model_validate(step.answer).lines[:MOST_LINES]:
            yield _Candidate(line, success.transcript.language, success, failure, level, step)


def _measured(group: Sequence[_Candidate], measured_on: Measured) -> KeptLine:
    first, cases = group[0], {judgement.case for judgement in group}
    quotes = {judgement.success.run.id: judgement.line.success_quote for judgement in group}
    quotes |= {judgement.failure.run.id: judgement.line.failure_quote for judgement in group}
    effect = measured_on(quotes.keys(), max(judgement.level for judgement in group)).effect(first.line, cases)
    sentence = first.line.sentence(first.language)
    counts = {"concerned": effect.concerned, "gained": effect.gained, "lost": effect.lost}
    text = sentence + RECORD[first.language].format(cases=len(cases), **counts)
    name = hashlib.sha256(repr(first.key).encode()).hexdigest()[:16]
    return KeptLine(sentence, text, quotes, effect, name, len(cases))
