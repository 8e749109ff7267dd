"""Rules by which people correct a coding agent, without "always" or "never": "In this repo we use pnpm, not npm",
"You have to run `make client` every time you change a serializer", "Every PR needs a changelog entry"."""

import re

from memories.lexicon.english_verbs import WORK

TRIGGERS = (
    r"(?:this|our) (?:repo|project|code ?base|monorepo|team)",
    r"we (?:only )?use ",
    r"(?:have|need) to |must |should ",
    r"next time",
    r"in (?:the )?future",
    r"(?:needs?|requires?|has to) ",
)
_SHARED = r"(?:repo(?:sitory)?|project|code\s?base|monorepo|team)"
_HERE = re.compile(rf"(?:,?\s*\b(?:in|for|on|within)\s+(?:this|our)\s+{_SHARED}\b[\s,:]*)", re.IGNORECASE)
# What a team works by; what a task is about ("each file must be overwritten") is none.
_THINGS = (
    r"(?:prs?|(?:pull|merge)\s+requests?|commits?(?:\s+messages?)?|migrations?|releases?|branch(?:es)?|tickets?"
    r"|hot\s?fix(?:es)?|deployments?)"
)


def _regex(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)


_DUTY = r"(?:(?:also|first)\s+)?(?:always\s+)?(?:have\s+to|need\s+to|must|should)\s+(?:(?:also|first|always)\s+)*"
_WE_DO = _regex(r"(?:we|agents?|everyone)\s+(?:(?:only|always|usually|just)\s+)*(?P<work>[\w-]+)\s+\S.*")
_WE_USE = _regex(r"(?:no\W+)?we\s+(?:only\s+)?use\s+\S.*?(?:,\s*|\s+)(?:not|instead of|rather than)\s+\S.*")
_EACH_TIME = _regex(
    rf"(?:please\s+)?(?:you|we|agents?|everyone)\s+{_DUTY}(?P<work>[\w-]+)\s+.*"
    r"\b(?:every\s*time|each\s+time|whenever|(?:after|before)\s+(?:every|each))\b.+"
)
_ALWAYS_DUTY = _regex(
    r"(?:you|we|agents?|everyone)\s+always\s+(?:have\s+to|need\s+to|must|should)\s+(?P<work>[\w-]+)\s+\S.*"
)
_NEXT_TIME = _regex(
    r"(?:for\s+)?(?:the\s+)?(?:next\s+time|in\s+(?:the\s+)?future)\b[\s,:—–-]*(?:please\s+)?(?P<work>[\w-]+)\s+"
    r"(?!.*\b(?:your|me|us|him|her)\b)\S.*"
)
_EACH_THING = _regex(
    rf"(?:every|each|all|any)\s+(?:new\s+|public\s+)?{_THINGS}\s+(?:needs?|requires?|must|ha(?:s|ve)\s+to|should)\s+\S.*"
)


def states_a_rule(clause: str) -> bool:
    """Return whether a clause states a rule of a project."""
    general = _HERE.sub(" ", clause).strip(" ,:")
    if general != clause.strip(" ,:") and (match := _WE_DO.fullmatch(general)):
        return _is_work(match)
    if _WE_USE.fullmatch(general) or _EACH_THING.fullmatch(general):
        return True
    matches = (form.fullmatch(general) for form in (_EACH_TIME, _ALWAYS_DUTY, _NEXT_TIME))
    return any(match and _is_work(match) for match in matches)


def without_place(clause: str) -> str:
    """Return a clause without "in this repo"."""
    return _HERE.sub(" ", clause)


def _is_work(match: re.Match[str]) -> bool:
    return match["work"].lower() in WORK
