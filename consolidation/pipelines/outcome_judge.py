"""How a run ended, where nothing else tells: the model says so, with words of the run that were said at its end.

What it says is the lowest of all sources, and counts in learning only after people have agreed with it
(`memories/intake/episodes/agreement.py`).
"""

from collections import Counter

from consolidation.extraction import transcript_question, transcripts
from consolidation.extraction.line_grounding import Ground
from consolidation.extraction.steps import StepSkipped, Work
from consolidation.extraction.transcript_question import Judgement
from consolidation.extraction.transcripts import MOST_EVENTS, Passage, Transcript, comparable, orders_near
from consolidation.learning.effects.effects import changes
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs.run import Run
from consolidation.learning.statements.outcome_statements import says_it_worked
from consolidation.llm import fenced, in_halves, part_tokens
from consolidation.pipelines import recorded
from consolidation.pipelines.tool_rules import tool_rules
from consolidation.prompts import prompt
from memories.intake.episodes import closing
from memories.models import Episode
from memories.models.ending import EndStatement
from memories.scanning import credentials
from memories.values.choices import Outcome, OutcomeSource
from memories.values.text import sentences
from memories.values.trust import SYSTEM

NAME = PURPOSE = "outcome"
KNOWN, NO_WORK = "its outcome is known", "it called no tool"
UNPROVEN, ORDERED = "outcomes_unproven", "instruction_like"
SHORTEST_QUOTE, LONGEST_QUOTE, LONGEST_REASON = 4, 200, 300
WHAT = {"en": "the transcript", "zh": "对话记录"}


def perform(work: Work) -> Counter[str]:
    """Ask how the run ended, and keep what words at its end show.

    Counters: outcomes_judged, outcomes_unknown (the model cannot tell), outcomes_unproven, instruction_like (an order
    stands beside the quote). StepSkipped: another source tells, or the run has done nothing.
    """
    episode = Episode.objects.select_related("memory").get(pk=work.episode.pk)
    run = _run(episode)
    if _is_known(episode) or not run.steps:
        raise StepSkipped(KNOWN if _is_known(episode) else NO_WORK)
    transcript = work.transcript if episode.event_count <= MOST_EVENTS else transcripts.of(episode, end=True)
    judgement = transcript_question.end_beside_tasks(work.run) or _ask(work, transcript)
    if judgement.outcome == "unknown":
        return Counter(outcomes_unknown=1)
    if fault := _fault(judgement, run, transcript, tool_rules([episode])):
        return Counter([work.leave_out(f"{judgement.outcome}: {judgement.quote}", fault)])
    closing.hear(episode, _statement(judgement, transcript, work), by=SYSTEM, at=work.at)
    return Counter(outcomes_judged=1)


def is_asked(episode: Episode) -> bool:
    """Whether the model may say how this run ended when it is asked for its tasks: nothing else tells, it has done
    something, and all of it stands in the transcript.
    """
    return episode.event_count <= MOST_EVENTS and not _is_known(episode) and bool(_run(episode).steps)


def _is_known(episode: Episode) -> bool:
    return bool(episode.statements().keys() - {OutcomeSource.MODEL})


def _run(episode: Episode) -> Run:
    return recorded.read_end(episode) if episode.event_count > MOST_EVENTS else recorded.read([episode])[0].run


def _ask(work: Work, transcript: Transcript) -> Judgement:
    """A context that does not hold the run gets its beginning and its end."""
    language = transcript.language

    def ask(most: int) -> Judgement:
        text = fenced(transcript.within(most), what=WHAT[language], language=language)
        return work.ask(Judgement, system=prompt(NAME, language), text=text, purpose=PURPOSE)

    return in_halves(ask, part_tokens(prompt(NAME, language)))


def _last_change(run: Run, rules: ToolRules) -> int:
    """The position of the last call that changed something, else of the first call."""
    positions = [call.position for call in run.steps if changes(call, rules)]
    return max(positions) if positions else min(call.position for call in run.steps)


def _fault(judgement: Judgement, run: Run, transcript: Transcript, rules: ToolRules) -> str:
    """Why its quote does not show how the run ended: the counter that it belongs to.

    Words before the last change say nothing of the end, nor does a request that was handed over; an agent's own words
    prove nothing: it may rightly refuse. A call that failed, or a user who says that it did not work, is no success.
    """
    weight, since = sum(1 if char.isascii() else 2 for char in judgement.quote.strip()), _last_change(run, rules)
    mute = {call.position for call in run.steps if any(map(rules.hands_over, rules.kinds(call)))}
    mute |= {call.position for call in run.steps if call.failed and judgement.outcome == "success"}
    proofs = [
        passage
        for passage in transcript.holding(judgement.quote)
        if passage.position >= since and _may_show(passage, judgement, mute)
    ]
    if weight < SHORTEST_QUOTE or not proofs:
        return UNPROVEN
    return ORDERED if any(orders_near(passage, judgement.quote) for passage in proofs) else ""


def _may_show(passage: Passage, judgement: Judgement, mute: set[int]) -> bool:
    """Whether the passage proves something, and its user neither asks nor says the opposite. `mute`: calls that show
    nothing."""
    if passage.speaker != "user":
        return passage.proves and passage.position not in mute
    user_says = says_it_worked(passage.text)
    questions = (sentence for sentence in sentences(passage.text) if sentence.rstrip().endswith(("?", "？")))
    asks = any(comparable(judgement.quote) in comparable(question) for question in questions)
    return not asks and (user_says is None or user_says == (judgement.outcome == "success"))


def _statement(judgement: Judgement, transcript: Transcript, work: Work) -> EndStatement:
    """`details`: the quote, and the reason as far as it names nothing that the run does not hold."""
    details = {"quote": credentials.masked(" ".join(judgement.quote.split()))[:LONGEST_QUOTE]}
    reason = " ".join(judgement.reason.split())[:LONGEST_REASON]
    if reason and not Ground.of(transcript).fault(reason):
        details["reason"] = credentials.masked(reason)
    return EndStatement(OutcomeSource.MODEL, Outcome(judgement.outcome), work.at, work.model.name[:200], details)
