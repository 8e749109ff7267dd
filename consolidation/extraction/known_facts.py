"""What the scope of a conversation knows already, for the model that reads it: it words the same thing the same way.

Shown are statements of subject, predicate and object of which this conversation speaks, a line each. They prove
nothing: one that is said again needs a quote of this conversation, and passes what every fact passes.
"""

import json
from datetime import datetime

from django.conf import settings

from consolidation.extraction import grounding
from consolidation.extraction.recall import reader
from consolidation.extraction.transcripts import Transcript
from consolidation.llm.tokens import estimate
from memories.intake.reports import payloads
from memories.models import Episode, Memory
from memories.values.choices import Type

MARK = "[known]"  # no line of a transcript begins so
FIELDS = ("subject", "predicate", "object")
MOST_COMPARED = 500  # of the scope, those that were changed or said last
MOST_SHOWN, LONGEST = 12, 300  # lines, characters of one
LEAST_SHARE = 0.5  # of its words that stand in the conversation
SHARE = 16  # of the context that they may fill: one part


def lines(episode: Episode, transcript: Transcript, *, at: datetime) -> str:
    """The statements, those first of which the conversation holds most words; "" where it speaks of none.

    None of another scope, above the level of the conversation, withheld or flagged: what is sent to a model obeys the
    trust of the conversation, and no order in a claim reaches the next reading.
    """
    trust = reader(episode.scope, episode.memory.sensitivity)
    rows = Memory.objects.offered_to(trust).live().unexpired(at).filter(scope=episode.scope, type=Type.SEMANTIC)
    stated = rows.filter(flags=[], payload__has_keys=FIELDS).order_by("-updated_at")[:MOST_COMPARED]
    shares = {line: share for row in stated if (line := _line(row)) and (share := _share(row, transcript))}
    best = sorted(shares, key=lambda line: -shares[line])
    while estimate(*(best := best[:MOST_SHOWN])) * SHARE > settings.LLM_CONTEXT_TOKENS:
        best.pop()
    return "\n".join(best)


def _line(row: Memory) -> str:
    """The statement as the model is to repeat it; "" of one that is no such text, or whose words people changed."""
    words = {name: row.payload[name] for name in FIELDS}
    if not all(isinstance(value, str) and value for value in words.values()):
        return ""
    line = f"{MARK} {json.dumps(words, ensure_ascii=False)}"
    return line if row.content == payloads.content_of(**words) and len(line) <= LONGEST else ""


def _share(row: Memory, transcript: Transcript) -> float:
    """How many of its words the conversation holds; 0: too few, or it does not name the subject."""
    share = grounding.share_of_words(row.content, transcript)
    return share if share >= LEAST_SHARE and grounding.is_known(row.payload["subject"], transcript) else 0.0
