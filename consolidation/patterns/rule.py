"""What a pattern rule is: how it detects something in runs, and when that becomes a candidate."""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from consolidation.patterns.reported_run import ReportedRun
from memories.values.choices import Category
from memories.values.text import slug

GroupIdentity = tuple[str, ...]


@dataclass(frozen=True)
class Detection:
    """Something that a rule detected in a run: it counts for a group, whose memory would have this key and content.

    `key` blank: it only counts. `unit`: the session or day in which it counts. `at`, `event_id`: of the run that
    completed it. `family`: the group of which a share is taken. `covers`: smaller groups that this one includes.
    """

    identity: GroupIdentity
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
    family: GroupIdentity | None = None
    covers: tuple[GroupIdentity, ...] = ()


@dataclass(frozen=True)
class Rule:
    """`detect`: the detections of each run, in order. `threshold`: number of runs, or of sessions (days) if `by_units`.

    `share`: the least share of the family's runs, as (part, whole). `max_new`: new memories in one pattern run.
    """

    name: str
    threshold: int
    confidence: int
    detect: Callable[[Sequence[ReportedRun]], Iterable[tuple[ReportedRun, list[Detection]]]]
    by_units: bool = False
    share: tuple[int, int] = (0, 1)
    ttl: timedelta | None = None
    max_new: int | None = None

    def ripe(self, *, seen: int, units: int, of: int) -> bool:
        """Whether a group becomes a candidate: `seen` runs in `units` sessions, `of` runs of its family."""
        enough = (units if self.by_units else seen) >= self.threshold
        part, whole = self.share
        return enough and seen * whole >= part * of


def per_run(
    detect: Callable[[ReportedRun], Detection | None],
) -> Callable[[Sequence[ReportedRun]], Iterable[tuple[ReportedRun, list[Detection]]]]:
    """The `detect` of a rule that looks at each run alone."""

    def detect_all(runs: Sequence[ReportedRun]) -> Iterable[tuple[ReportedRun, list[Detection]]]:
        for run in runs:
            detection = detect(run)
            if detection:
                yield run, [detection]

    return detect_all


def identity_digest(key: bytes, rule: str, scope: str, identity: GroupIdentity) -> bytes:
    """The HMAC-SHA-256 by which a group is stored, so that no word of its runs is."""
    text = json.dumps([rule, scope, *identity], ensure_ascii=False).encode("utf-8", "surrogatepass")
    return hmac.digest(key, text, hashlib.sha256)


def key_part(text: str, nameless: str, length: int = 64) -> str:
    """One part of a memory's key, as a slug; `nameless` where the text has no letters."""
    return slug(text, length, nameless)


def without_spaces(text: str) -> str:
    """The text without its spaces: Acme Corp -> AcmeCorp."""
    return "".join(text.split())


def run_fields(run: ReportedRun) -> dict[str, object]:
    """The fields of a detection that are those of its run."""
    return {
        "unit": run.session,
        "at": run.at,
        "event_id": run.event_id,
        "episodes": (run.episode_id,),
        "sensitivity": run.sensitivity,
        "source": run.source,
    }
