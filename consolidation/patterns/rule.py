"""What a rule is: what it sees in runs, and when that is worth saying."""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from consolidation.patterns.plugin_run import Ran
from memories.values.choices import Category
from memories.values.text import slug

Identity = tuple[str, ...]


@dataclass(frozen=True)
class Sign:
    """What a run shows: it belongs to a group, and this is what the group would teach. `key` blank: it only counts.

    `at`, `event_id`: of the run that completed it. `covers`: smaller groups that this one stands for.
    """

    identity: Identity
    unit: UUID
    at: datetime
    event_id: UUID
    episodes: tuple[UUID, ...]
    sensitivity: int
    source: str
    key: str = ""
    content: str = ""
    category: Category = Category.PATTERN
    company_id: str | None = None
    family: Identity | None = None
    covers: tuple[Identity, ...] = ()


@dataclass(frozen=True)
class Rule:
    """`signs`: what each of these runs shows, in their order. `threshold`: of runs, or of sessions (days) `by_units`.

    `share`: that at least of its family's runs. `most`: new memories in one run of consolidation.
    """

    name: str
    threshold: int
    confidence: int
    signs: Callable[[Sequence[Ran]], Iterable[tuple[Ran, list[Sign]]]]
    by_units: bool = False
    share: tuple[int, int] = (0, 1)
    ttl: timedelta | None = None
    most: int | None = None

    def ripe(self, *, seen: int, units: int, of: int) -> bool:
        enough = (units if self.by_units else seen) >= self.threshold
        part, whole = self.share
        return enough and seen * whole >= part * of


def each(sign: Callable[[Ran], Sign | None]) -> Callable[[Sequence[Ran]], Iterable[tuple[Ran, list[Sign]]]]:
    """For a rule that looks at one run alone."""

    def signs(runs: Sequence[Ran]) -> Iterable[tuple[Ran, list[Sign]]]:
        for run in runs:
            found = sign(run)
            if found:
                yield run, [found]

    return signs


def hashed(key: bytes, rule: str, scope: str, identity: Identity) -> bytes:
    """What a group is known by: no word can be read from it."""
    told = json.dumps([rule, scope, *identity], ensure_ascii=False).encode("utf-8", "surrogatepass")
    return hmac.digest(key, told, hashlib.sha256)


def part(text: str, nameless: str, most: int = 64) -> str:
    """A word of a key."""
    return slug(text, most, nameless)


def joined(text: str) -> str:
    """A name without the spaces in it: Acme Corp is acmecorp."""
    return "".join(text.split())


def fields_of(run: Ran) -> dict[str, object]:
    """What a sign has from its run."""
    return {
        "unit": run.session,
        "at": run.at,
        "event_id": run.event_id,
        "episodes": (run.episode_id,),
        "sensitivity": run.sensitivity,
        "source": run.source,
    }
