"""The language model: the only way to it. What it answers is checked against a shape, and each attempt is recorded."""

from django.conf import settings

from consolidation.llm.errors import (
    Busy,
    DailyLimit,
    ModelError,
    NotConfigured,
    NotNow,
    Refused,
    TooLong,
    TooSensitive,
    Truncated,
    Unavailable,
    Unusable,
)
from consolidation.llm.fences import fenced
from consolidation.llm.questions import LanguageModel, in_halves
from consolidation.llm.tokens import estimate
from memories.values.choices import Sensitivity

__all__ = [
    "Busy",
    "DailyLimit",
    "LanguageModel",
    "ModelError",
    "NotConfigured",
    "NotNow",
    "Refused",
    "TooLong",
    "TooSensitive",
    "Truncated",
    "Unavailable",
    "Unusable",
    "configured",
    "fenced",
    "highest_sensitivity",
    "in_halves",
    "language_model",
    "part_tokens",
]
FENCE_TOKENS = 200  # around the text of a question
LEAST_PART = 500  # tokens, even where instructions and answer leave less


def configured() -> bool:
    """Whether the settings name a language model."""
    return bool(settings.LLM_BASE_URL and settings.LLM_MODEL)


def highest_sensitivity() -> Sensitivity:
    """The highest level of what may be sent to the model."""
    return Sensitivity.named(settings.EXTERNAL_MAX_SENSITIVITY)


def part_tokens(system: str) -> int:
    """Tokens of a long text that fit into one question with these instructions: LLM_CONTEXT_TOKENS without them and
    room for an answer, a quarter at most."""
    room = settings.LLM_CONTEXT_TOKENS
    answer = min(settings.LLM_MAX_TOKENS or room, room // 4)
    return max(LEAST_PART, room - answer - FENCE_TOKENS - estimate(system))


def language_model(*, for_skills: bool = False) -> LanguageModel:
    """The model that the settings name; `for_skills`: that of SKILLS_LLM, where it is set. NotConfigured: none."""
    from consolidation.llm.chat_endpoint import ChatEndpoint

    if not configured():
        raise NotConfigured
    return LanguageModel(
        name=(for_skills and settings.SKILLS_LLM) or settings.LLM_MODEL,
        endpoint=ChatEndpoint(
            settings.LLM_BASE_URL, settings.LLM_TIMEOUT, settings.LLM_API_KEY, idle=settings.LLM_IDLE_TIMEOUT
        ),
        highest=highest_sensitivity(),
        daily_tokens=settings.LLM_DAILY_TOKENS,
        concurrency=settings.LLM_CONCURRENCY,
        most_tokens=settings.LLM_MAX_TOKENS,
        context=settings.LLM_CONTEXT_TOKENS,
    )
