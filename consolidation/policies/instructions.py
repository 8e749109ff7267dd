"""What the operator of a run told its agent: its system messages, and the descriptions of its tools; what the model is
asked about them, and the policies that it answers."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

from django.db.models.functions import Coalesce, Left
from pydantic import BaseModel

from consolidation.extraction.steps import Work
from consolidation.extraction.transcript_question import LISTED, Words
from consolidation.extraction.transcripts import comparable
from consolidation.learning.facts.call_rules import CallRule, Condition
from consolidation.learning.wording import Language
from consolidation.llm import fenced, in_halves, part_tokens
from consolidation.llm.tokens import estimate
from consolidation.prompts import prompt
from memories.models import Episode, Event
from memories.scanning import credentials
from memories.values import roles
from memories.values.text import detect_lang

MOST_EVENTS, LONGEST = 20, 60_000  # characters of all
MOST_PARTS = 4
LONGEST_DESCRIPTION = 2_000
STOPS = ".。;；,，"  # that a model puts at the end of a part of a sentence
SCHEMAS = ("parameters", "input_schema", "inputSchema")
_DIGITS = re.compile(r"\d+")
_BREAK = re.compile(r"\n\s*\n")
_HEADING = re.compile(r"#+ .*|.{1,80}[:：]")


@dataclass(frozen=True)
class Instructions:
    """Their text, with secrets masked; '' for none."""

    text: str

    @classmethod
    def of(cls, episode: Episode) -> "Instructions":
        messages = Event.objects.filter(episode=episode).spoken_by(roles.SYSTEM).order_by("position")
        beginnings = messages.annotate(beginning=Left(Coalesce("instruction__text", "text"), LONGEST))
        first_texts = beginnings.values_list("beginning", flat=True)[:MOST_EVENTS]
        texts = [*filter(None, first_texts), *_descriptions(episode.environment.get("tools"))]
        return cls(credentials.masked("\n\n".join(texts)[:LONGEST]))

    @property
    def language(self) -> Language:
        return detect_lang(self.text)

    def fingerprint(self, quotes: Iterable[str]) -> str:
        """The same for texts that differ in numbers alone, as in today's date, unless those of a rule have changed:
        `quotes` are the words of the rules that were read before."""
        text, quoted_texts = comparable(self.text), set(map(_quoted, quotes))
        forms = [r"\d+".join(map(re.escape, parts)) for parts in map(_DIGITS.split, quoted_texts) if len(parts) > 1]
        changed_texts = {words for form in forms for words in re.findall(form, text)} - quoted_texts
        return hashlib.sha256("\n".join([_DIGITS.sub("0", text), *sorted(changed_texts)]).encode()).hexdigest()

    @cached_property
    def paragraphs(self) -> list[str]:
        return [part for part in _BREAK.split(self.text) if part.strip()]

    def parts(self, tokens: int) -> list[str]:
        """The text in parts of about so many tokens, whole paragraphs each, or lines of one that is longer; at most
        MOST_PARTS."""
        parts, paragraphs = [""], self.paragraphs
        for paragraph in (
            line for text in paragraphs for line in ([text] if estimate(text) <= tokens else text.splitlines())
        ):
            if parts[-1] and estimate(parts[-1], paragraph) > tokens:
                parts.append("")
            parts[-1] = f"{parts[-1]}\n\n{paragraph}".strip()
        return parts[:MOST_PARTS]

    def around(self, quote: str) -> tuple[str, str]:
        """The paragraph that holds these words, and the section below one heading that it stands in; '' for none."""
        words, section, match = _quoted(quote), list[str](), ""
        for paragraph in self.paragraphs:
            if _HEADING.fullmatch(paragraph.strip()):
                if match:
                    break
                section = []
            section.append(paragraph)
            match = match or (paragraph if words and words in comparable(paragraph) else "")
        return (match, "\n\n".join(section)) if match else ("", "")


def _quoted(quote: str) -> str:
    return comparable(quote).rstrip(STOPS)


def _descriptions(tools: Any) -> Iterator[str]:
    """A paragraph for each tool that is described, in the forms of OpenAI, Anthropic and MCP."""
    for tool in tools if isinstance(tools, list) else ():
        description_source = tool.get("function", tool) if isinstance(tool, dict) else {}
        if not isinstance(description_source, dict) or not (
            description := _text(description_source.get("description"))
        ):
            continue
        schema: Any = next((description_source[name] for name in SCHEMAS if name in description_source), {})
        fields = schema.get("properties") if isinstance(schema, dict) else {}
        named_fields = fields.items() if isinstance(fields, dict) else ()
        described_fields = {
            name: _text(field.get("description")) for name, field in named_fields if isinstance(field, dict)
        }
        lines = [f"{name}: {text}" for name, text in described_fields.items() if text]
        yield "\n".join([f"{description_source.get('name')}: {description}", *lines])


def _text(value: Any) -> str:
    return value.strip()[:LONGEST_DESCRIPTION] if isinstance(value, str) else ""


PURPOSE = "policies"
MOST_POLICIES = 12  # of one part of the instructions; the first ones count
INSTRUCTIONS = {"en": "the instructions of an agent", "zh": "一个代理的指令"}
CALLS = {"en": "the list of what its runs call and see", "zh": "它的运行所调用和看到的内容的清单"}


class ModelCondition(BaseModel):
    of: Literal["argument", "record"]
    field: Words
    test: Literal["is", "is_not", "above", "below"]
    values: Annotated[list[Words], LISTED]


class ModelPolicy(BaseModel):
    """A rule as the model proposes it; not kept yet. See prompts/en/policies.md."""

    tool: Words
    conditions: Annotated[list[ModelCondition], LISTED]
    quote: Words

    @property
    def rule(self) -> CallRule:
        """With its conditions in one order, so that the same rule is known again."""
        conditions = {
            Condition(condition.of, condition.field.strip(), condition.test, _folded(condition.values))
            for condition in self.conditions
        }
        in_order = sorted(conditions, key=lambda one: (one.of, one.field, one.test, one.values))
        return CallRule(self.tool.strip(), tuple(in_order))


class ModelPolicies(BaseModel):
    policies: Annotated[list[ModelPolicy], LISTED]


def _folded(values: list[str]) -> tuple[str, ...]:
    return tuple(sorted({value.strip().casefold() for value in values if value.strip()}))


def ask(work: Work, instructions: Instructions, calls: str) -> list[ModelPolicy]:
    """What the model reads in the instructions, part by part. `calls`: what its runs call and what records show."""
    language = instructions.language
    system = prompt(PURPOSE, language)
    calls_text = fenced(calls, what=CALLS[language], language=language)

    def about(tokens: int) -> list[ModelPolicy]:
        policies = []
        for n, part in enumerate(instructions.parts(tokens), 1):
            text = f"{fenced(part, what=INSTRUCTIONS[language], language=language)}\n\n{calls_text}"
            answer = work.ask(ModelPolicies, system=system, text=text, name=f"{n} of {tokens}", purpose=PURPOSE)
            policies += answer.policies[:MOST_POLICIES]
        return policies

    return in_halves(about, part_tokens(f"{system}\n{calls_text}"))
