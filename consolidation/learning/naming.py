"""Title, slug and description: what it does, when to use it, how it went."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from hashlib import sha256

from consolidation.learning.recipe import Stage
from consolidation.learning.records import Sign
from consolidation.learning.speech import Term
from consolidation.learning.toolnames import code, objects, phrase
from consolidation.learning.wording import cut, joined, upper_first
from skills.manifest import TrackRecord

LONGEST_SLUG = 64
LONGEST_TITLE = 100
LONGEST_DESCRIPTION = 1_024
_ARTICLES = {"a", "an", "the"}


def title(steps: Sequence[Stage]) -> str:
    """Cancel a reservation; what it is without an effect."""
    acts = _acts(steps)
    return cut(upper_first(_said(acts)) if acts else "Answer without changing anything", LONGEST_TITLE)


def _said(acts: Sequence[Stage]) -> str:
    """Edit a file, run go build and lint: the same verb is said once."""
    phrases = [phrase(stage.tool, article="a") for stage in acts[:4]]
    verbs = [said.split(" ", 1)[0] for said in phrases]
    again = [n and verb == verbs[n - 1] == "run" for n, verb in enumerate(verbs)]
    return joined([said.split(" ", 1)[1] if same else said for said, same in zip(phrases, again, strict=True)])


def _acts(steps: Sequence[Stage]) -> list[Stage]:
    acts = [stage for stage in steps if stage.changes]
    return [stage for stage in acts if not stage.optional] or acts


def _looks(steps: Sequence[Stage]) -> str:
    return objects([stage.tool for stage in steps if not stage.changes and not stage.optional])


def slug(text: str, signature: str, taken: Collection[str]) -> str:
    """Of `[a-z0-9-]`, at most 64, not among the taken ones: numbered if need be."""
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    parts = [part for part in re.split(r"[^a-z0-9]+", plain) if part and part not in _ARTICLES]
    base = _shortened(parts) or f"skill-{sha256(signature.encode()).hexdigest()[:10]}"
    numbered = (f"{base[: LONGEST_SLUG - 1 - len(str(n))].rstrip('-')}-{n}" for n in range(2, len(taken) + 3))
    return next(name for name in (base, *numbered) if name not in taken)


def _shortened(parts: Sequence[str]) -> str:
    kept = ""
    for part in parts:
        longer = f"{kept}-{part}" if kept else part[:LONGEST_SLUG]
        if len(longer) > LONGEST_SLUG:
            break
        kept = longer
    return kept


def description(
    titled: str, steps: Sequence[Stage], said: Sequence[Term], signs: Sequence[Sign], record: TrackRecord
) -> str:
    """What it does, when to use it, how it went."""
    parts = [_does(titled, steps), _use_when(steps, said, signs), _record(record)]
    return cut(" ".join(part for part in parts if part), LONGEST_DESCRIPTION)


def _does(titled: str, steps: Sequence[Stage]) -> str:
    looks = _looks(steps)
    known = not looks or looks in titled
    return f"{titled}." if known else f"{titled} after looking up {looks}."


def _use_when(steps: Sequence[Stage], said: Sequence[Term], signs: Sequence[Sign]) -> str:
    asks = f"a request mentions {joined([term.written for term in said[:4]], 'or')}" if said else ""
    clear = [f"{code(sign.field)} {sign.value}" for sign in signs[:2] if sign.of >= 4 and sign.runs >= 0.8 * sign.of]
    shows = f"the look-up shows {joined(clear)}" if clear else ""
    when = " and ".join(part for part in (asks, shows) if part)
    if when:
        return f"Use when {when}."
    acts = _acts(steps)
    return f"Use when asked to {_said(acts)}." if acts else "Use when what these tools return answers the request."


def _record(record: TrackRecord) -> str:
    ended = record.successes + record.failures
    partly = f", {record.partials} more in part" if record.partials else ""
    only = "Only " if ended >= 5 and record.successes * 2 < ended else ""
    return f"{only}{record.successes} of {ended} recorded runs ended well{partly}." if ended else ""
