"""Who speaks: the spellings of roles, as messages and kinds of events have them, in one table.

They are those of the published designs and of OpenAI, Anthropic, Google, LangChain and OpenTelemetry (the GenAI
conventions). Case and signs do not count: `UserMessage` and `user-message` are spelled alike. What a caller wrote is
stored as it is, and read through `of`.
"""

from functools import lru_cache

USER, ASSISTANT, SYSTEM, TOOL = "user", "assistant", "system", "tool"
SPELLINGS = {
    USER: (
        *("user", "human", "customer", "userinput", "usermessage", "userprompt", "userquery", "userrequest"),
        *("humaninput", "humanmessage", "genaiusermessage", "用户"),
    ),
    ASSISTANT: (
        *("assistant", "agent", "ai", "model", "assistantoutput", "assistantmessage", "assistantresponse"),
        *("agentoutput", "agentmessage", "agentresponse", "aioutput", "aimessage", "airesponse"),
        *("modeloutput", "modelmessage", "modelresponse", "genaiassistantmessage", "genaichoice", "gpt", "助手"),
    ),
    # What the operator of an agent told it: its user did not
    SYSTEM: (
        *("system", "developer", "systemmessage", "systemprompt", "systeminstructions", "developermessage"),
        "genaisystemmessage",
    ),
    TOOL: ("tool", "function", "toolmessage", "functionmessage", "genaitoolmessage"),
}
# An event of such a kind is about a system or a customer; nobody spoke.
NO_MESSAGES = frozenset(("system", "customer"))
SIGNS = "._:/- "
_ROLE_OF = {spelling: role for role, spellings in SPELLINGS.items() for spelling in spellings}
_WITHOUT_SIGNS = str.maketrans("", "", SIGNS)


@lru_cache(maxsize=1_000)
def of(spelling: str) -> str:
    """The role that a message's role spells; of another one itself, in lower case and without signs."""
    plain = spelling.lower().translate(_WITHOUT_SIGNS)
    return _ROLE_OF.get(plain, plain)


def of_kind(kind: str) -> str:
    """The role of an event's kind; '' for one that is no message."""
    plain = kind.lower().translate(_WITHOUT_SIGNS)
    return "" if plain in NO_MESSAGES else _ROLE_OF.get(plain, "")


def is_role(name: str) -> bool:
    """Whether a speaker's name is only a role."""
    return of(name) in SPELLINGS
