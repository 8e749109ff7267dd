"""The cases that the model compares for a skill: a run that ended well its way, and one that failed; and the price."""

from collections import defaultdict
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F, Func, IntegerField, Sum, TextField, Value
from django.db.models.functions import Cast, Coalesce, Concat, Left, Length

from consolidation import llm
from consolidation.extraction.queue import NO_MODEL, TOO_SENSITIVE
from consolidation.extraction.transcripts import LONGEST_SHOWN, MOST_EVENTS
from consolidation.llm.tokens import CHARACTERS_PER_TOKEN, cost
from consolidation.models import RunProfile
from memories.models import Event, Memory
from memories.values.choices import LIVE, Outcome

MOST_CASES = 6
MOST_RUNS = 400  # the latest of the scope, among which the cases are sought
TRANSCRIPT_TOKENS = 4_000  # of one transcript in a question
PROMPT_TOKENS, ANSWER_TOKENS = 2_000, 500  # of the instructions, and of an answer
NOT_LIVE = "no live skill, or not one that was learned from runs"
NO_CASE = "no case has both a run that ended well this way and one that failed"


@dataclass(frozen=True)
class CasePair:
    """The latest success of a case with the effects of the skill, and its latest failure: ids of their episodes."""

    success: UUID
    failure: UUID


@dataclass(frozen=True)
class Price:
    """What reading the cases takes, estimated; at most MOST_CASES times two transcripts."""

    cases: int
    tokens_in: int
    tokens_out: int

    @property
    def cost(self) -> float | None:
        """None without prices."""
        return cost(self.tokens_in, self.tokens_out)


def refusal(memory: Memory | None) -> str:
    """Why the model may not be asked about this skill at all; '' if it may."""
    if not llm.configured():
        return NO_MODEL
    if memory is None or memory.status not in LIVE or "effects" not in memory.payload:
        return NOT_LIVE
    return TOO_SENSITIVE if memory.sensitivity > llm.highest_sensitivity() else ""


def pairs_of(memory: Memory) -> list[CasePair]:
    """Up to MOST_CASES, those with the latest runs first. Only what the skill may know and the model may read."""
    if "effects" not in memory.payload:
        return []
    level = min(memory.sensitivity, llm.highest_sensitivity())
    rows = RunProfile.objects.filter(scope=memory.scope, sensitivity__lte=level, episode__extract=True)
    rows = rows.filter(episode__transcript_removed_at=None)
    rows = rows.filter(outcome__in=(Outcome.SUCCESS, Outcome.FAILURE)).order_by("-at", "pk")
    ends: dict[str, dict[str, UUID]] = defaultdict(dict)
    for pk, thread, outcome, effects in rows.values_list("pk", "thread", "outcome", "effects")[:MOST_RUNS]:
        if outcome == Outcome.FAILURE or set(effects) == set(memory.payload["effects"]):
            ends[thread].setdefault(outcome, pk)
    both = [one for one in ends.values() if len(one) == 2]
    return [CasePair(one[Outcome.SUCCESS], one[Outcome.FAILURE]) for one in both[:MOST_CASES]]


def price(memory: Memory) -> Price:
    pairs = pairs_of(memory)
    texts = sum(_transcript_tokens([one for pair in pairs for one in (pair.success, pair.failure)]))
    return Price(len(pairs), texts + len(pairs) * PROMPT_TOKENS, len(pairs) * ANSWER_TOKENS)


def _transcript_tokens(episodes: list[UUID]) -> list[int]:
    """As `llm.tokens` estimates them, but counted by the database: a Chinese character has three octets."""
    whole = [Coalesce(Cast(name, TextField()), Value("", TextField())) for name in ("text", "args", "result")]
    texts = [Left(text, LONGEST_SHOWN) for text in whole]
    events = Event.objects.filter(episode__in=episodes, instruction=None, position__lte=MOST_EVENTS)
    octets = Func(F("whole"), function="OCTET_LENGTH", output_field=IntegerField())
    rows = events.annotate(whole=Concat(*texts)).values("episode_id").order_by()
    sums = rows.annotate(characters=Sum(Length("whole")), octets=Sum(octets)).values_list("characters", "octets")
    return [min(_tokens(characters, size), TRANSCRIPT_TOKENS) for characters, size in sums]


def _tokens(characters: int, octets: int) -> int:
    wide = (octets - characters) // 2
    return (characters - wide) // CHARACTERS_PER_TOKEN + wide
