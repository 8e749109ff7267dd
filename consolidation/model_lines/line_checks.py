"""What is checked of a line before it is measured: its quotes, its tools, and that it names nobody."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from consolidation.extraction.line_grounding import Ground
from consolidation.extraction.transcripts import Transcript, comparable, orders_near
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.runs import privacy
from consolidation.learning.runs.run import Run
from consolidation.learning.runs.values import leaves
from consolidation.model_lines.line_answers import ModelLine
from consolidation.model_lines.line_losses import calls_tool, heeds
from memories.scanning import prompt_injection

SIZES = {"when": 200, "what": 300, "tool": 200, "argument": 200, "value": privacy.LONGEST, "sign": privacy.LONGEST}
OPTIONAL = ("argument", "value")
SHORTEST_QUOTE, LONGEST_QUOTE = 6, 2_000  # characters; a Chinese one says twice as much
SHORTEST_SIGN = 3
IDENTIFYING = "identifying"
IDENTIFIER = re.compile(r"`([^`]+)`|\b(?=\w*_)([A-Za-z_]\w*)\b")
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Side:
    """One of the two runs: as text with its places to quote, and as calls."""

    transcript: Transcript
    run: Run

    def holds(self, quote: str) -> bool:
        weight = sum(1 if char.isascii() else 2 for char in quote.strip())
        return weight >= SHORTEST_QUOTE and len(quote) <= LONGEST_QUOTE and any(self.transcript.holding(quote))

    def is_told(self, quote: str) -> bool:
        """Whether the words around the quote are an order to a model."""
        return any(orders_near(passage, quote) for passage in self.transcript.holding(quote))


class Vocabulary:
    """The words of the store's runs: which are names, and which several cases share."""

    def __init__(self, runs: Iterable[Run], rules: ToolRules) -> None:
        self._scope = Scope(list(runs), (), rules)

    @cached_property
    def _holders(self) -> privacy.Holders:
        holders = privacy.Holders()
        for run in self._scope.runs:
            texts = [message.text for message in run.messages]
            texts += [f"{call.name} {call.args} {call.result}" for call in run.steps]
            holders.add(set(WORD.findall(" ".join(texts).lower())), run.thread)
        return holders

    def identifying(self, line: ModelLine) -> list[str]:
        """What it says more than the house rule allows: digits, masks, names, values of few runs."""
        bare = f"{line.when} {line.what}".replace(line.tool, " ")
        bare = bare.replace(line.argument, " ") if line.argument else bare
        names = {word for word in _words(bare) if word in self._scope.names}
        words_of_code = {word for name in identifiers(bare) for word in _words(name)}
        rare = {word for word in names | words_of_code | set(_words(line.value)) if not self._holders.is_common(word)}
        identifying_words = [word for word in bare.split() if privacy.identifies(word)]
        return [*(identifying_words or [bare] * privacy.identifies(bare)), *sorted(rare)]


def refusal(line: ModelLine, success: Side, failure: Side, rules: ToolRules, vocabulary: Vocabulary) -> str:
    """The counter of a line that is not kept; '' for one that may be measured."""
    if not _is_proven(line, success, failure):
        return "not_proven"
    if not _tools_were_used(line, success.run, failure.run, rules):
        return "unknown_tool"
    if line.is_contradictory or not heeds(success.run, line, rules) or heeds(failure.run, line, rules):
        return "not_different"
    if _is_instruction(line, success, failure):
        return "instruction_like"
    if vocabulary.identifying(line):
        return IDENTIFYING
    lines = (f"{passage.speaker}: {passage.text}" for passage in failure.transcript.passages)
    return Ground.of(success.transcript, *lines).fault(f"{line.when}: {line.what}")


def _is_proven(line: ModelLine, success: Side, failure: Side) -> bool:
    """Whether it is whole, and its sign stands in both transcripts, each quote in its own."""
    words = {name: getattr(line, name).strip() for name in SIZES}
    if not all(len(words[name]) <= most and (words[name] or name in OPTIONAL) for name, most in SIZES.items()):
        return False
    if not privacy.safe(line.sign) or len(comparable(line.sign)) < SHORTEST_SIGN:
        return False
    sign_in_both = success.transcript.proof(line.sign) and failure.transcript.proof(line.sign)
    return bool(sign_in_both) and success.holds(line.success_quote) and failure.holds(line.failure_quote)


def _tools_were_used(line: ModelLine, success: Run, failure: Run, rules: ToolRules) -> bool:
    """Whether the run that did so called the tool; the text names it, what is sent, and nothing unknown there."""
    if not calls_tool(success if line.do else failure, line.tool, rules):
        return False
    text = comparable(line.what)
    if not all(comparable(part) in text for part in (line.tool, line.argument, line.value)):
        return False
    words_of_code = (word for name in identifiers(f"{line.when} {line.what}") for word in WORD.findall(name))
    return bool(line.argument) == bool(line.value) and _names_in(success, failure).issuperset(words_of_code)


def _names_in(*runs: Run) -> set[str]:
    """The words of code in these runs: tools that were called, keys, and values of a single word."""
    calls = [call for run in runs for call in run.steps]
    pairs = [pair for call in calls for value in (call.arguments, call.parsed_result) for pair in leaves(value)]
    codes = (str(leaf) for _, leaf in pairs if not re.search(r"\s", str(leaf)))
    keys = (key for path, _ in pairs for key in path)
    return set(WORD.findall(" ".join([*(f"{call.name} {call.tool_name}" for call in calls), *keys, *codes])))


def _is_instruction(line: ModelLine, success: Side, failure: Side) -> bool:
    """Whether it, or the words around one of its quotes, tell a model what to do."""
    if prompt_injection.is_in(f"{line.when} {line.what}"):
        return True
    signs = success.is_told(line.sign) or failure.is_told(line.sign)
    return signs or success.is_told(line.success_quote) or failure.is_told(line.failure_quote)


def identifiers(text: str) -> list[str]:
    """What is written as a name of code: in backticks, or with an underscore."""
    return [one or other for one, other in IDENTIFIER.findall(text)]


def _words(text: str) -> list[str]:
    return WORD.findall(text.lower())
