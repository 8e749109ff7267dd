"""The step of reading a conversation that reads what its operator told the agent: each text once in its scope.

A policy is kept when it is grounded: in words of the instructions, in tools and values that runs show.
"""

import re
from collections import Counter
from datetime import timedelta

from django.db import transaction

from consolidation import llm
from consolidation.extraction.episode_facts import SHORTEST_QUOTE
from consolidation.extraction.line_grounding import Ground
from consolidation.extraction.steps import StepSkipped, Work
from consolidation.extraction.transcripts import comparable
from consolidation.learning.facts.call_rules import COMPARING, CallRule, Condition
from consolidation.models import InstructionReading, Policy, RunProfile
from consolidation.models.policies import SOURCE
from consolidation.pipelines import duplicates
from consolidation.policies.instructions import Instructions, ModelPolicy, ask
from consolidation.policies.recorded_calls import LIST, NUMBER, Counts, RecordedCalls
from memories import leases
from memories.intake.claims import Occasion, Statement, remember
from memories.intake.claims.writing import live_row, lock_key
from memories.models.evidence import LONGEST_SNAPSHOT
from memories.scanning import prompt_injection
from memories.scanning.credentials import MASK
from memories.values.choices import ActorKind, Category, Origin, Sensitivity
from memories.values.text import UNSPACED, slug
from memories.values.trust import Actor

NAME = "policies"
BY = Actor(ActorKind.SYSTEM, "Memos", NAME)
CONFIDENCE = 40
LEAST_RUNS = 10  # finished ones of the scope: of fewer nobody knows which tools there are, and what breaks a rule
MOST_TEXTS, DAYS = 20, 30  # of one scope within so many days: texts that name a person or a day are endless
MOST_WELL = 0.2  # of the cases that broke it: a rule that more of them broke and ended well is not meant so
NONE, READ, FEW, MANY = "no instructions", "these instructions were read", "few finished runs yet", "too many texts"
SECRET, BUSY = "runs that are less secret carry them, too", "another conversation with these instructions is read"
BROKEN, UNMEASURED = "broken_by_successes", "unmeasured"  # no recorded call shows what the rule needs


def perform(work: Work) -> Counter[str]:
    """Ask for the policies in the instructions of the run, unless they were read, and propose those that hold.

    Counters: policies_read (that the model named), policies_created, known, suppressed, those of `speaks_against` and
    of ungrounded ones. StepSkipped: there is nothing to read, or it is not the time.
    """
    instructions = Instructions.of(work.episode)
    if not instructions.text.strip():
        raise StepSkipped(NONE)
    fingerprint = instructions.fingerprint(Policy.objects.quotes(work.episode.scope))
    reading = InstructionReading.objects.of(work.episode.scope, fingerprint)
    runs = _finished(reading, work)
    with leases.hold(f"{NAME}:{reading.scope}:{reading.fingerprint}", wait=False) as free:
        if not free:
            raise StepSkipped(BUSY)
        calls = RecordedCalls.of(reading.scope, work.episode.memory.sensitivity)
        try:
            policies = ask(work, instructions, calls.described())
        except (llm.NotNow, llm.TooSensitive):
            raise
        except llm.ModelError:
            reading.failed(at=work.at)
            raise
        counters = Counter(policies_read=len(policies))
        counters.update(_settle(policy, instructions, calls, work) for policy in policies)
        reading.done(runs, at=work.at)
    return +counters


def _finished(reading: InstructionReading, work: Work) -> int:
    """How many finished runs the scope has. StepSkipped: too few, or the text is not to be read now."""
    level = work.episode.memory.sensitivity
    rows = RunProfile.objects.filter(scope=reading.scope)
    usual = rows.order_by("-at").values_list("sensitivity", flat=True)[:LEAST_RUNS]
    runs = rows.filter(sensitivity__lte=level).count()
    if runs < LEAST_RUNS:
        raise StepSkipped(FEW)
    if not reading.is_due(runs):
        raise StepSkipped(READ)
    if level > min(usual):
        raise StepSkipped(SECRET)
    lately = InstructionReading.objects.filter(scope=reading.scope, at__gt=work.at - timedelta(days=DAYS))
    if not reading.pk and lately.count() >= MOST_TEXTS:
        raise StepSkipped(MANY)
    return runs


def _settle(policy: ModelPolicy, instructions: Instructions, calls: RecordedCalls, work: Work) -> str:
    """Propose a policy, if it is grounded and recorded runs do not speak against it; the counter that it belongs to."""
    if reason := fault(policy, instructions, calls):
        return reason
    counts = calls.counts(policy.rule)
    return speaks_against(counts) or _write(policy, instructions, counts, work)


def speaks_against(counts: Counts) -> str:
    """Why recorded runs speak against a rule: the counter that it belongs to; '' if they do not."""
    if not counts.calling:
        return UNMEASURED
    return BROKEN if counts.well > MOST_WELL * (counts.well + counts.ill) else ""


@transaction.atomic
def _write(policy: ModelPolicy, instructions: Instructions, counts: Counts, work: Work) -> str:
    statement = _statement(policy.rule, policy.rule.in_words(instructions.language), work)
    lock_key(statement.scope, statement.key)
    if live_row(statement.scope, statement.key, at=work.at) is not None:
        return "known"
    quote = policy.quote.strip()[:LONGEST_SNAPSHOT]
    occasion = Occasion.episode(work.episode.pk, at=work.episode.closed_at or work.at, quote=quote)
    result = remember(statement, occasions=[occasion], by=BY, at=work.at)
    if not result.created or result.memory is None:
        return "suppressed"
    columns = {"tool": policy.rule.tool, "conditions": [condition.to_row() for condition in policy.rule.conditions]}
    counters = {"calling": counts.calling, "well": counts.well, "ill": counts.ill}
    new = Policy.objects.create(memory=result.memory, words=result.memory.content, **columns, **counters)
    for former in Policy.objects.beside(new):
        if former.quote and not instructions.around(former.quote)[0]:
            duplicates.ask_which_holds([former.memory, new.memory], at=work.at)
    return "policies_created"


def _statement(rule: CallRule, words: str, work: Work) -> Statement:
    """Its key is what it checks, so that a dismissal holds in whatever language and words it is read again."""
    key = slug(f"policy {rule.in_words('en')}")
    return Statement(
        content=words,
        key=key,
        scope=work.episode.scope,
        source=SOURCE,
        confidence=CONFIDENCE,
        category=Category.PATTERN,
        origin=Origin.CONSOLIDATED,
        sensitivity=Sensitivity(work.episode.memory.sensitivity),
        names=[key],
    )


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
    shown_values = calls.arguments[rule.tool].get(condition.field) if of_argument else calls.fields.get(condition.field)
    if shown_values is None:
        return FIELD
    if not 0 < len(condition.values) <= MOST_VALUES or any(len(value) > LONGEST_VALUE for value in condition.values):
        return VALUE
    if condition.test in COMPARING:
        countable = of_argument and not {NUMBER, LIST}.isdisjoint(shown_values)
        return "" if countable and len(condition.values) == 1 and _is_number(condition.values[0], quote) else VALUE
    quote_words = comparable(quote) if condition.test == "is" else ""  # a state that no run has shown yet
    return "" if all(value in shown_values or comparable(value) in quote_words for value in condition.values) else VALUE


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
    text_words = _WORD.findall(text)
    return any(any(_agree(word, other) for other in text_words) if word.isascii() else word in text for word in words)


def _agree(word: str, other: str) -> bool:
    """Whether two words are forms of word: cancel, cancellation."""
    shorter = min(len(word), len(other))
    stem = max(STEM, shorter - 3)
    return word == other if shorter < STEM else word[:stem] == other[:stem]
