"""What the model is asked about instructions, and the policies that it answers."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator

from consolidation.extraction.steps import Work
from consolidation.extraction.transcript_question import Words
from consolidation.learning.facts.call_rules import CallRule, Condition
from consolidation.llm import fenced, in_halves, part_tokens
from consolidation.policies.instructions import Instructions
from consolidation.prompts import prompt

PURPOSE = "policies"
MOST_POLICIES = 12  # of one part of the instructions; the first ones count
INSTRUCTIONS = {"en": "the instructions of an agent", "zh": "一个代理的指令"}
CALLS = {"en": "the list of what its runs call and see", "zh": "它的运行所调用和看到的内容的清单"}


def _listed(value: Any) -> Any:
    """A list where a model answers null, or a single value without its brackets."""
    return [] if value is None else value if isinstance(value, list) else [value]


class ModelCondition(BaseModel):
    of: Literal["argument", "record"]
    field: Words
    test: Literal["is", "is_not", "above", "below"]
    values: Annotated[list[Words], BeforeValidator(_listed)]


class ModelPolicy(BaseModel):
    """A rule as the model proposes it; not kept yet. See prompts/en/policies.md."""

    tool: Words
    conditions: Annotated[list[ModelCondition], BeforeValidator(_listed)]
    quote: Words

    @property
    def rule(self) -> CallRule:
        """With its conditions in one order, so that the same rule is known again."""
        each = {
            Condition(condition.of, condition.field.strip(), condition.test, _folded(condition.values))
            for condition in self.conditions
        }
        ordered = sorted(each, key=lambda one: (one.of, one.field, one.test, one.values))
        return CallRule(self.tool.strip(), tuple(ordered))


class ModelPolicies(BaseModel):
    policies: Annotated[list[ModelPolicy], BeforeValidator(_listed)]


def _folded(values: list[str]) -> tuple[str, ...]:
    return tuple(sorted({value.strip().casefold() for value in values if value.strip()}))


def ask(work: Work, instructions: Instructions, calls: str) -> list[ModelPolicy]:
    """What the model reads in the instructions, part by part. `calls`: what its runs call and what records show."""
    language = instructions.language
    system = prompt(PURPOSE, language)
    known = fenced(calls, what=CALLS[language], language=language)

    def about(tokens: int) -> list[ModelPolicy]:
        policies = []
        for n, part in enumerate(instructions.parts(tokens), 1):
            text = f"{fenced(part, what=INSTRUCTIONS[language], language=language)}\n\n{known}"
            answer = work.ask(ModelPolicies, system=system, text=text, name=f"{n} of {tokens}", purpose=PURPOSE)
            policies += answer.policies[:MOST_POLICIES]
        return policies

    return in_halves(about, part_tokens(f"{system}\n{known}"))
