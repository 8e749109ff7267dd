"""Which skill, whether to act, what to check: what finished runs say to one that is under way.

profiling.py, features.py           a finished run as counted terms
kernel.py, experience.py, voices.py     how alike two runs are, which may speak to a question, whose count
votes.py, skill_votes.py, grounds.py    what similar runs speak for, and on what an answer rests
calibration.py, logistic.py         how often such an answer is right, and from where on one is given
guide.py                            one question answered, and the skill that does it; as text: rendering.py
checking.py, precedent.py, provenance.py, command_notes.py      a call that is about to be made
risk.py, verdict.py, run_verdicts.py                how a run would end, or ended
latest_runs.py, skill_worth.py      the runs of a scope that curves and the worth of its skills are measured on
holdback.py, offer_benefit.py, anytime.py       whether offers help, by those that were withheld
"""

from consolidation.guidance.answer import Guidance
from consolidation.guidance.guide import answer
from consolidation.guidance.holdback import offer_lessons
from consolidation.guidance.holdback import without as withheld_from
from consolidation.guidance.request import GuidanceQuestion, check
