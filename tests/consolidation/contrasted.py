"""A skill with a case that has a success and a failure, and lines that a scripted model writes about it."""

from datetime import timedelta
from typing import Any

from consolidation import contrast_run
from consolidation.models import Run
from memories.models import Memory
from memories.values.choices import Type
from skills.models import SkillVersion
from tests.consolidation.experience import NOON, consolidated
from tests.consolidation.test_guidance import WISH, learn
from tests.make import answer, call, user

Json = dict[str, Any]
LATER = NOON + timedelta(hours=2)
TICKET = "T0000"
LINE: Json = {
    "when": "the fare is basic and the plans have changed",
    "do": True,
    "what": "call `cancel_ticket` at once",
    "tool": "cancel_ticket",
    "argument": "",
    "value": "",
    "sign": '"fare": "basic"',
    "success_quote": '{"ticket": "T0000"}',
    "failure_quote": "my plans have changed",
}
SENTENCE = "When the fare is basic and the plans have changed, do call `cancel_ticket` at once"


def talk(*tools: str, result: str = '{"fare": "basic"}') -> list[Json]:
    """As `test_guidance.talk` of the first case, with another answer of the look-up."""
    said = [user(WISH.format(n=TICKET)), call("get_ticket", ticket=TICKET), answer(result)]
    for tool in tools:
        said += [call(tool, "c2", ticket=TICKET), answer("done", "c2")]
    return said


def learned(*, success: list[Json] | None = None, failure: list[Json] | None = None, **fields: Any) -> Memory:
    """A skill of six cases that ended well with `cancel_ticket`; in the first one a second run failed without it, as in
    another case."""
    well = success or talk("get_policy", "cancel_ticket")
    learn(0, "cancel_ticket", messages=well, **fields)
    learn(0, outcome="failure", messages=failure or talk(), **fields)
    for n in range(1, 6):
        learn(n, "cancel_ticket")
    learn(6, outcome="failure")
    consolidated()
    return Memory.objects.select_related("skill").get(type=Type.COMPETENCE, payload__effects=["cancel_ticket"])


def lines(*changed: Json) -> Json:
    return {"lines": [{**LINE, **one} for one in changed]}


def compare(memory: Memory, *, minutes: float = 0) -> Run:
    """The unfinished run about the skill, or a new one, as a worker leaves it."""
    run = contrast_run.request(memory, trigger=Run.Trigger.PAGE, at=LATER)
    contrast_run.process_queue(now=lambda: LATER + timedelta(minutes=minutes))
    run.refresh_from_db()
    return run


def proposed(memory: Memory) -> SkillVersion:
    """The version that waits for a person."""
    return SkillVersion.objects.get(skill=memory.pk, status=SkillVersion.Status.PROPOSED)
