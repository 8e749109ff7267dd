"""What the model is asked about two runs of a case, and the lines that it answers."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator

from consolidation.extraction.transcript_question import Words
from consolidation.extraction.transcripts import Transcript
from consolidation.llm import fenced
from consolidation.prompts import prompt

PURPOSE = "contrast"
MOST_LINES = 3  # of one case; the first ones count
WELL = {"en": "the transcript of the run that ended well", "zh": "成功的那次运行的记录"}
ILL = {"en": "the transcript of the run that failed", "zh": "失败的那次运行的记录"}


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
