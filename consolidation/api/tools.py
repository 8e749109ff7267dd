"""Tools: a whole conversation to learn from; guidance for a task, and a check right before something is changed."""

from dataclasses import replace

from consolidation.api.conversations import record
from consolidation.api.guidance import advise
from consolidation.api.verdict import judge
from consolidation.guidance.request import AboutTo, GuidanceRequest, VerdictRequest
from memories.api.conversations import ChatReport
from memories.api.ingestion import ingestion_reply
from memories.api.shapes import Json
from memories.api.tool import ToolCall, tool
from memories.api.tool_reply import Reply, non_empty
from memories.values.choices import Permission
from memories.values.exceptions import FieldError, Invalid


class CheckRequest(GuidanceRequest):
    """The run so far, and the call that is about to be made."""

    about_to: AboutTo


@tool(ChatReport, Permission.INGEST)
def add_conversation(call: ToolCall) -> Reply:
    """Report a whole conversation with its tool calls, in OpenAI's or Anthropic's form, as one finished episode."""
    stored, run = record(call.arguments, trust=call.trust, at=call.at)
    reply = ingestion_reply(stored, call.trust)
    return replace(reply, head={**reply.head, "run": run.pk}) if run and stored.memory else reply


@tool(GuidanceRequest, Permission.READ, read_only=True)
def guidance(call: ToolCall) -> Reply:
    """Ask what similar finished runs did and how they ended: which skill to follow, what to change, or that nothing
    should be changed; `decision` is `unsure` when they do not agree.
    """
    advice = advise(call.arguments, trust=call.trust, at=call.at)
    similar = [non_empty(run) for run in advice.pop("similar")]
    return Reply(_of_use(advice), items=similar, items_name="similar")


@tool(CheckRequest, Permission.READ, read_only=True)
def check_before_write(call: ToolCall) -> Reply:
    """Ask, right before a call that changes something, whether similar runs ended well with it or without it, which of
    its arguments are unlike those that worked, and which command does not start; it advises and never blocks.
    """
    if call.arguments.get("about_to") is None:
        raise Invalid(FieldError("/about_to", "required", "is required: the call that is about to be made"))
    advice = advise(call.arguments, trust=call.trust, at=call.at)
    verdict = advice["check"]
    runs = [non_empty(run) for run in verdict.pop("runs")]
    return Reply(_of_use({**verdict, **advice, "check": None, "similar": None}), items=runs, items_name="runs")


@tool(VerdictRequest, Permission.READ, read_only=True)
def check_before_end(call: ToolCall) -> Reply:
    """Ask, right before you say that you are done, how runs that changed the same ended: a `level`, the share that
    failed, and what those that ended well called and this run did not.
    """
    verdict = judge(call.arguments, trust=call.trust)
    similar = [non_empty(run) for run in verdict.pop("similar")]
    return Reply(_of_use(verdict), items=similar, items_name="similar")


def _of_use(advice: Json) -> Json:
    """What an agent acts on: what is empty says nothing."""
    silent = ("took_ms", "withheld", *(["expected"] if not advice["expected"]["cases"] else []))
    return non_empty({name: value for name, value in advice.items() if name not in silent})


CONVERSATION_TOOLS = (add_conversation,)
GUIDANCE_TOOLS = (guidance, check_before_write, check_before_end)
