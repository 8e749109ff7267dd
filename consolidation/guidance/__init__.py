"""Which skill, whether to act, what to check: what finished runs say to one that is under way."""

from consolidation.guidance.answer import Guidance
from consolidation.guidance.guide import answer
from consolidation.guidance.holdback import offer_lessons
from consolidation.guidance.holdback import without as withheld_from
from consolidation.guidance.request import GuidanceQuestion, check
