"""Title, slug and description: what it does, when to use it, how it went."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from hashlib import sha256

from consolidation.learning.contrast import Contrast
from consolidation.learning.recipe import Stage
from consolidation.learning.records import Sign
from consolidation.learning.toolnames import code, object_of, phrase
from consolidation.learning.triggers import Term
from consolidation.learning.wording import cut, joined, upper_first
from skills.manifest import TrackRecord

LONGEST_SLUG = 64
LONGEST_TITLE = 90
LONGEST_DESCRIPTION = 1_024
_ARTICLES = {"a", "an", "the"}


def title(kind: str, steps: Sequence[Stage]) -> str:
    """Cancel a reservation; of an exact pattern with the look-ups that tell it from its kin."""
    acts = [stage for stage in steps if stage.changes and not stage.optional] or [s for s in steps if s.changes]
    looks = [stage for stage in steps if not stage.changes and stage not in acts]
    if not acts:
        return cut(upper_first(f"answer from {_objects(looks)} without changing anything"), LONGEST_TITLE)
    done = joined([phrase(stage.tool, article="a") for stage in acts[:3]])
    return cut(upper_first(done), LONGEST_TITLE)


def looked_up(steps: Sequence[Stage]) -> str:
    return _objects([stage for stage in steps if not stage.changes])


def _objects(looks: Sequence[Stage]) -> str:
    """user and reservation details"""
    names = [object_of(stage.tool) for stage in looks if object_of(stage.tool) not in {"think", "calculate"}]
    if not names:
        return "what is known"
    tails = {name.rsplit(" ", 1)[-1] for name in names}
    if len(names) > 1 and len(tails) == 1 and all(" " in name for name in names):
        return f"{joined([name.rsplit(' ', 1)[0] for name in names[:4]])} {tails.pop()}"
    return joined(names[:4])


def slug(text: str, signature: str, taken: Collection[str]) -> str:
    """Of `[a-z0-9-]`, at most 64, not among the taken ones: numbered if need be."""
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    parts = [part for part in re.split(r"[^a-z0-9]+", plain) if part and part not in _ARTICLES]
    base = _shortened(parts) or f"skill-{sha256(signature.encode()).hexdigest()[:10]}"
    if base not in taken:
        return base
    for n in range(2, len(taken) + 3):
        numbered = f"{base[: LONGEST_SLUG - 1 - len(str(n))].rstrip('-')}-{n}"
        if numbered not in taken:
            return numbered
    raise AssertionError("one of len(taken) + 1 names is free")


def _shortened(parts: Sequence[str]) -> str:
    kept = ""
    for part in parts:
        longer = f"{kept}-{part}" if kept else part[:LONGEST_SLUG]
        if len(longer) > LONGEST_SLUG:
            break
        kept = longer
    return kept


def description(
    title_: str,
    steps: Sequence[Stage],
    said: Sequence[Term],
    signs: Sequence[Sign],
    record: TrackRecord,
    seen: Contrast,
) -> str:
    parts = [_does(title_, steps), _use_when(said, signs), _record(record)]
    return cut(" ".join(part for part in parts if part), LONGEST_DESCRIPTION)


def _does(title_: str, steps: Sequence[Stage]) -> str:
    looks = [stage for stage in steps if not stage.changes and not stage.optional]
    acts = [stage for stage in steps if stage.changes]
    if acts and looks:
        return f"{title_} after looking up {_objects(looks)}."
    return f"{title_}."


def _use_when(said: Sequence[Term], signs: Sequence[Sign]) -> str:
    asks = f"a request mentions {joined([term.written for term in said[:4]], 'or')}" if said else ""
    shows = [f"{code(sign.field)} {sign.value}" for sign in signs[:2]]
    shown = f"the look-up shows {joined(shows)}" if shows else ""
    when = " and ".join(part for part in (asks, shown) if part)
    return f"Use when {when}." if when else ""


def _record(record: TrackRecord) -> str:
    ended = record.successes + record.failures
    partly = f", {record.partials} more in part" if record.partials else ""
    return f"{record.successes} of {ended} recorded runs ended well{partly}." if ended else ""
