"""Whether a policy that a model read is grounded: in words of the instructions, in tools and values that runs show."""

import re

from consolidation.extraction.episode_facts import SHORTEST_QUOTE
from consolidation.extraction.line_grounding import Ground
from consolidation.extraction.transcripts import comparable
from consolidation.learning.facts.call_rules import COMPARING, CallRule, Condition
from consolidation.policies.instructions import Instructions
from consolidation.policies.policy_question import ModelPolicy
from consolidation.policies.recorded_calls import LIST, NUMBER, RecordedCalls
from memories.scanning import prompt_injection
from memories.scanning.credentials import MASK
from memories.values.text import UNSPACED

UNPROVEN, ORDER = "not_proven", "instruction_like"
TOOL, FIELD, VALUE = "unknown_tool", "unknown_field", "unknown_value"
MOST_CONDITIONS, MOST_VALUES, LONGEST_VALUE = 4, 6, 60
LONGEST_QUOTE = 600
STEM = 4  # letters, at least, in which two forms of a word agree
_WORD = re.compile(r"[^\W\d_]+")


def fault(policy: ModelPolicy, instructions: Instructions, calls: RecordedCalls) -> str:
    """Why it is not grounded: the counter that it belongs to; '' if it is.

    UNPROVEN: its quote does not stand in the instructions, or nothing there speaks of its tool or of a condition; TOOL:
    no run calls it; FIELD, VALUE: no run shows it; ORDER: its quote tells a model what to do with its instructions.
    """
    rule, (around, section) = policy.rule, instructions.around(policy.quote)
    if not around or not _is_quote(policy.quote) or not 0 < len(rule.conditions) <= MOST_CONDITIONS:
        return UNPROVEN
    if prompt_injection.is_in(around):
        return ORDER
    if rule.tool not in calls.arguments:
        return TOOL
    wrong = next(filter(None, (_fault(condition, rule, policy.quote, calls) for condition in rule.conditions)), "")
    if wrong:
        return wrong
    speaks = _is_meant(rule.tool, section) and all(_is_said(condition, around) for condition in rule.conditions)
    return "" if speaks else UNPROVEN


def _is_quote(quote: str) -> bool:
    weight = sum(1 if char.isascii() else 2 for char in quote.strip())
    return weight >= SHORTEST_QUOTE and len(quote) <= LONGEST_QUOTE and MASK not in quote


def _fault(condition: Condition, rule: CallRule, quote: str, calls: RecordedCalls) -> str:
    """Whether runs show the field, and they or the quote its values."""
    of_argument = condition.of == "argument"
    held = calls.arguments[rule.tool].get(condition.field) if of_argument else calls.fields.get(condition.field)
    if held is None:
        return FIELD
    if not 0 < len(condition.values) <= MOST_VALUES or any(len(value) > LONGEST_VALUE for value in condition.values):
        return VALUE
    if condition.test in COMPARING:
        countable = of_argument and not {NUMBER, LIST}.isdisjoint(held)
        return "" if countable and len(condition.values) == 1 and _is_number(condition.values[0], quote) else VALUE
    named = comparable(quote) if condition.test == "is" else ""  # a state that no run has shown yet
    return "" if all(value in held or comparable(value) in named for value in condition.values) else VALUE


def _is_number(value: str, quote: str) -> bool:
    return value.replace(".", "", 1).isdigit() and not Ground(comparable(quote)).fault(value)


def _is_said(condition: Condition, around: str) -> bool:
    """Whether the instructions speak of the field or of one of its values; names of another script cannot be looked
    for in them, and are for the person to compare."""
    return any(_is_meant(name, around) for name in (condition.field, *condition.values))


def _is_meant(name: str, around: str) -> bool:
    """Whether a word of the name stands in the text, in some form."""
    words, text = _WORD.findall(comparable(name)), comparable(around)
    if UNSPACED.search(around) and "".join(words).isascii():
        return True
    known = _WORD.findall(text)
    return any(any(_agree(word, one) for one in known) if word.isascii() else word in text for word in words)


def _agree(word: str, other: str) -> bool:
    """Whether two words are forms of word: cancel, cancellation."""
    shorter = min(len(word), len(other))
    stem = max(STEM, shorter - 3)
    return word == other if shorter < STEM else word[:stem] == other[:stem]
