"""What the model is asked about two runs of a case, and the lines that it answers."""

import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from consolidation.extraction.transcript_question import Words
from consolidation.extraction.transcripts import Transcript
from consolidation.learning.facts.findings import Language
from consolidation.llm import fenced
from consolidation.prompts import prompt
from skills import markdown

PURPOSE = "contrast"
MOST_LINES = 3  # of one case; the first ones count
WELL = {"en": "the transcript of the run that ended well", "zh": "成功的那次运行的记录"}
ILL = {"en": "the transcript of the run that failed", "zh": "失败的那次运行的记录"}
_WHEN = re.compile(r"^(?:(?:when|if)\b|当|如果)[ ,:：，]*|(?<=.)时$", re.IGNORECASE)
_DO = re.compile(r"^do\b(?! not)\s*", re.IGNORECASE)
_DO_NOT = re.compile(r"^(?:(?:do not|don't|never)\b|不要)\s*", re.IGNORECASE)
_LINE = {
    "en": ("When {when}, do {what}", "When {when}, do not {what}"),
    "zh": ("当{when}时，要{what}", "当{when}时，不要{what}"),
}


class ModelLine(BaseModel):
    """A line "when ... do / do not ..." as the model proposes it; not kept yet. See prompts/en/contrast.md."""

    when: Words
    do: bool
    what: Words
    tool: Words
    argument: Words = ""
    value: Words = ""
    sign: Words
    success_quote: Words
    failure_quote: Words

    @property
    def is_contradictory(self) -> bool:
        """Whether it says do and do not at once."""
        return self.do and bool(_DO_NOT.match(self.what.strip()))

    def sentence(self, language: Language) -> str:
        """The line as a skill says it, without the counts behind it."""
        when, what = (markdown.one_line(text).strip().rstrip(".。") for text in (self.when, self.what))
        verb, form = (_DO, 0) if self.do else (_DO_NOT, 1)
        return _LINE[language][form].format(when=_WHEN.sub("", when), what=verb.sub("", what))


def _listed(value: Any) -> Any:
    """`lines` where the model answers null instead of an empty list."""
    return [] if value is None else value


class ModelLines(BaseModel):
    lines: Annotated[list[ModelLine], BeforeValidator(_listed)]


def question(success: Transcript, failure: Transcript, most: int) -> tuple[str, str]:
    """System prompt and text of the question. `most`: tokens of each transcript."""
    language = success.language
    well = fenced(success.within(most), what=WELL[language], language=language)
    ill = fenced(failure.within(most), what=ILL[language], language=language)
    return prompt("contrast", language), f"{well}\n\n{ill}"
