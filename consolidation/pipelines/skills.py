"""A conversation becomes skills: chunk it into tasks, recall what is known, extract or improve a skill, write details,
package and propose. Nothing is published without a person.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from django.conf import settings
from pydantic import BaseModel

from consolidation.extraction import needs, transcript_question
from consolidation.extraction.line_grounding import Ground, grounded
from consolidation.extraction.recall import (
    KnownSkill,
    RecallResult,
    improved,
    known_facts,
    known_skills,
    recall,
    skill_named,
)
from consolidation.extraction.skill_answers import DraftSkill, Extraction, Query
from consolidation.extraction.skill_details import Detailed, write_details
from consolidation.extraction.steps import (
    CHUNKS,
    MOST_PARTS,
    Needless,
    Notes,
    Opinion,
    Question,
    Step,
    StepSkipped,
    Work,
    parts_in_order,
)
from consolidation.extraction.task_answers import Chunks, Division, Task, divide
from consolidation.extraction.transcripts import Passage, Transcript
from consolidation.llm import Unusable, fenced, in_halves, part_tokens
from consolidation.llm.tokens import cut
from consolidation.models import Redundancy, Run
from consolidation.pipelines import outcome_judge, skill_writing
from consolidation.pipelines.skill_writing import SkillDraft
from consolidation.prompts import prompt
from memories.models import Episode, Memory
from memories.values.choices import LIVE, Origin, OutcomeSource, Type
from skills.manifest import Fields

T = TypeVar("T", bound=BaseModel)
Peers = Callable[[str, Episode], tuple[int, int]]  # of a request: how many cases ended well, of how many
ENOUGH_CASES, AS_WELL = 8, 0.9  # similar ones, and the share of them that ended well: there is little to gain
UNGROUNDED = "nothing of it was said or done in the conversation"
LONGEST_TITLE = 60  # characters of a task's title that are taken from the user
KNOWN_TOKENS = 2_500  # of a question: known skills and memories, and what was said before
LATEST_SKILLS = 10  # of a scope, that a draft is compared with beside those that were found
MOST_HISTORY, LONGEST_HISTORY = 20, 5_000  # messages, and characters of them, that were said before the conversation
WHAT = {"en": "the task and what is known", "zh": "任务和已知内容"}
TRANSCRIPT = {"en": "the transcript", "zh": "对话记录"}
HEADINGS = {
    "en": {
        "task": "The task",
        "outcome": "How the conversation ended",
        "known": "Known skills and memories",
        "history": "Said before, for context only",
    },
    "zh": {"task": "任务", "outcome": "对话的结果", "known": "已知的技能和记忆", "history": "此前的对话，仅供参考"},
}
OUTCOMES = {
    "en": {
        "success": "It succeeded.",
        "failure": "It failed.",
        "partial": "It succeeded in part.",
        None: "Not reported.",
    },
    "zh": {"success": "成功。", "failure": "失败。", "partial": "部分成功。", None: "没有报告。"},
}
UNTAUGHT = "Nothing in the conversation teaches it: no tool answered, and nobody said how it is to be done."
FAILED = {"failure": ["learned from a conversation that failed"]}  # whoever publishes it should know
NOTHING_KNOWN = {"en": "None.", "zh": "没有。"}


def nobody(request: str, episode: Episode) -> tuple[int, int]:
    """No similar run is known."""
    return 0, 0


def chunk(work: Work) -> Counter[str]:
    """First step: ask the model which tasks and facts the conversation holds, each part of a long one by itself; about
    one that is asked whole also how it ended, where nobody knows."""
    facts = known_facts(work.episode, work.transcript, at=work.at)
    asks_end = outcome_judge.is_asked(work.episode)
    question = transcript_question.question(work.transcript, with_end=asks_end, known=facts)
    what = TRANSCRIPT[work.transcript.language]
    work.ask_parts(question.shape, question.parts, system=question.system, what=what, purpose=transcript_question.TASKS)
    tasks_found, unread = division(work.run, work.transcript), len(question.parts[MOST_PARTS:])
    if not tasks_found.tasks:
        unread_note = [f"the last {unread} of its {len(question.parts)} parts were not read"] if unread else []
        raise StepSkipped("; ".join(["no task in it", *unread_note, *tasks_found.dropped]))
    ground = Ground.of(work.transcript)
    return Counter(tasks=len(tasks_found.tasks), unread_parts=unread) + Counter(
        fault for task in tasks_found.tasks if (fault := ground.title_fault(task.name))
    )


def division(run: Run, transcript: Transcript) -> Division:
    """The tasks that the kept answers of the first step name; none before it has ended."""
    answers = run.steps.filter(name=CHUNKS).values_list("answer", flat=True).first() or {}
    chunks = [Chunks.model_validate(answer) for _, answer in parts_in_order(answers)]
    return divide(chunks, sorted({passage.position for passage in transcript.passages}))


def task_steps(run: Run, transcript: Transcript, *, peers: Peers = nobody) -> Iterator[Step]:
    """One step for each task of the conversation."""
    tasks = (replace(task, name=_title(task, transcript)) for task in division(run, transcript).tasks)
    for number, task in enumerate(tasks, start=1):
        do = partial(extract, task, peers=peers)
        yield Step(f"task {number}: {task.name}"[:128], do, after=(CHUNKS,), for_skills=True)


def _title(task: Task, transcript: Transcript) -> str:
    """The model's title; where it names what nobody said, the first words of the user in its messages."""
    if not Ground.of(transcript).title_fault(task.name):
        return task.name
    return " ".join(_request(task, transcript).split())[:LONGEST_TITLE]


def _passages(task: Task, transcript: Transcript) -> list[Passage]:
    chosen = set(task.positions)
    return [passage for passage in transcript.passages if passage.position in chosen]


def _request(task: Task, transcript: Transcript) -> str:
    """What the user said first in the messages of a task."""
    return next((passage.text for passage in _passages(task, transcript) if passage.speaker == "user"), "")


def extract(task: Task, work: Work, *, peers: Peers = nobody) -> Notes:
    """A step: turn one task into a skill, or into the next version of one; what it writes, it writes in its turn, for
    tasks of one conversation may make one skill.

    StepSkipped: the model finds nothing worth keeping, with its reason; or its messages teach nothing, and it is not
    asked.
    """
    episode, text = work.episode, _task_text(task, work.transcript)
    if not needs.is_taught(_passages(task, work.transcript), episode.outcome):
        raise StepSkipped(UNTAUGHT)
    query = _query(task, text, work)
    recall_result = recall(query, scope=episode.scope, sensitivity=episode.memory.sensitivity, at=work.at)
    simple = _is_simple(episode)
    extraction = _extraction(text, recall_result, work, simple=simple)
    if extraction.skill is None:
        raise StepSkipped(extraction.reason or "nothing worth keeping in it")
    draft = extraction.skill
    tools = _tools(task, work.transcript)
    if simple:
        details = Detailed(draft.fields)
    else:
        details = write_details(draft, task=text, tools=tools, work=work, name="details")
    fields, faults = grounded(details.fields, _ground(work.transcript, draft, recall_result, details.written))
    counters = Counter(work.leave_out(line, fault) for line, fault in faults)
    if fields is None:
        raise StepSkipped(f"{UNGROUNDED}: {', '.join(f'{reason} {n}' for reason, n in counters.items())}")
    notes = [*FAILED.get(episode.outcome or "", ()), *details.left_out]
    needless = _needless(fields, task, work, peers)

    def write(opinions: Sequence[Opinion]) -> Counter[str]:
        why = needless or next((opinion.needless for opinion in opinions), None)
        skill_draft = SkillDraft(fields, extraction.reason, details.written, notes, why)

        def former() -> KnownSkill | None:
            return improved(draft, _candidates(draft, recall_result, episode), sensitivity=episode.memory.sensitivity)

        return counters + skill_writing.write(skill_draft, former, episode=episode, run=work.run, at=work.at)

    return Notes([] if needless else [_question(fields)], write)


def _needless(fields: Fields, task: Task, work: Work, peers: Peers) -> Needless | None:
    """Why nobody is asked about the skill, nor the model: similar runs end as well without it, and it holds nothing but
    steps."""
    if not fields.experience and not fields.preference:
        well, cases = peers(_request(task, work.transcript), work.episode)
        if cases >= ENOUGH_CASES and well >= AS_WELL * cases:
            return Needless(Redundancy.Why.COUNTED, f"{well} / {cases}")
    return None


def _question(fields: Fields) -> Question:
    """Whether an agent needs this skill."""
    lines = [fields.title or fields.name, fields.description, fields.procedure, *fields.experience, *fields.preference]
    return Question("\n".join(lines))


def _ground(transcript: Transcript, draft: DraftSkill, recall_result: RecallResult, files: Sequence[str]) -> Ground:
    """What a line of the skill may name: the conversation, the skill that the model was shown and improves, files."""
    old_id = draft.old_memory_id if draft.update else None
    improved_skills = (skill for skill in recall_result.skills if str(skill.memory.pk) == old_id)
    instructions = prompt("skill_extraction", transcript.language)
    return Ground.of(transcript, *(attempt.shown for attempt in improved_skills), *files, instructions=instructions)


def _query(task: Task, text: str, work: Work) -> str:
    """One sentence for the recall, which stands beside the task, or is asked for; where the model gives none, the
    task's name and what the user said first."""
    if task.query:
        return task.query
    try:
        return _ask(Query, "query_rewrite", "query", work, task=text).query
    except Unusable:
        return f"{task.name} {_request(task, work.transcript)}"[:1_000]


def _extraction(text: str, recall_result: RecallResult, work: Work, *, simple: bool) -> Extraction:
    """The fields of the skill, or none. An answer that cannot be used is asked for once more."""
    language = work.transcript.language
    parts = {
        "task": text,
        "outcome": OUTCOMES[language][_told(work.episode)],
        "known": recall_result.shown or NOTHING_KNOWN[language],
    }
    if history := _history(work.episode):
        parts["history"] = history
    stage = "skill_extraction_simple" if simple else "skill_extraction"
    try:
        return _ask(Extraction, stage, "skill", work, **parts)
    except Unusable:  # a repair of it has failed, too
        return _ask(Extraction, stage, "skill", work, **parts)


def _ask(shape: type[T], stage: str, name: str, work: Work, *, task: str, **parts: str) -> T:
    """A context that does not hold the question gets it with half of the task, until it does."""
    language = work.transcript.language

    def ask(most: int) -> T:
        contents = {"task": cut(task, most), **parts}
        text = "\n\n".join(f"## {HEADINGS[language][part]}\n\n{content}" for part, content in contents.items())
        fence = fenced(text, what=WHAT[language], language=language)
        return work.ask(shape, name=name, system=prompt(stage, language), text=fence, purpose=stage)

    return in_halves(ask, part_tokens(prompt(stage, language)))


def _told(episode: Episode) -> str | None:
    """How the conversation ended, where it was not merely a model that judged so."""
    return None if episode.said_by == OutcomeSource.MODEL else episode.outcome


def _candidates(draft: DraftSkill, recall_result: RecallResult, episode: Episode) -> list[KnownSkill]:
    """The recalled skills of the conversation's own scope, the one of the draft's name, and the latest ones: they were
    not there yet when the model was shown what is known."""
    of_scope = Memory.objects.filter(scope=episode.scope, type=Type.COMPETENCE, status__in=LIVE)
    latest = list(of_scope.filter(origin=Origin.EXTRACTED).order_by("-created_at", "-pk")[:LATEST_SKILLS])
    same = skill_named(draft.fields.name, scope=episode.scope)
    same_name = [same.memory] if same is not None and same.memory.status in LIVE else []
    recalled_skills = [skill for skill in recall_result.skills if skill.memory.scope == episode.scope]
    memories = {memory.pk: memory for memory in [*same_name, *latest]}
    unshown = memories.keys() - {skill.memory.pk for skill in recalled_skills}
    return [*recalled_skills, *known_skills([memories[pk] for pk in unshown])]


def _task_text(task: Task, transcript: Transcript) -> str:
    """The messages of a task as the model sees them, cut in the middle where they are too long."""
    lines = "\n".join(passage.shown for passage in _passages(task, transcript))
    room = part_tokens(prompt("skill_extraction", transcript.language)) - KNOWN_TOKENS
    return f"{task.name}\n\n{cut(lines, max(1_000, room))}"


def _tools(task: Task, transcript: Transcript) -> list[str]:
    """The tools that were called in a task, in the order of their first call."""
    return list(dict.fromkeys(passage.tool for passage in _passages(task, transcript) if passage.tool))


def _history(episode: Episode) -> str:
    """The end of what was said before the conversation, as its reporter sent it along."""
    messages = episode.environment.get("chat_history") or []
    lines = [
        f"{message.get('role', '')}: {content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)}"
        for message in messages[-MOST_HISTORY:]
        if isinstance(message, dict) and (content := message.get("content"))
    ]
    return "\n".join(lines)[-LONGEST_HISTORY:]


def _is_simple(episode: Episode) -> bool:
    """Whether the skill is extracted in one go: as its reporter says, else as the setting does."""
    mode = episode.environment.get("mode")
    return mode == "simple" if mode in ("simple", "full") else not settings.COMPLETE_SKILL_MEMORY


def steps(peers: Peers = nobody) -> tuple[Step, ...]:
    """`peers`: how runs of a similar request ended."""
    return (Step(CHUNKS, chunk, for_skills=True, expand=partial(task_steps, peers=peers)),)


STEPS = steps()
