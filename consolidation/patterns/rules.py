"""What a pattern rule is: how it detects something in runs, and when that becomes a candidate; and the rules over
single reported runs: the company's category, what people correct, who is met, and the time of day."""

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

from django.conf import settings

from consolidation.patterns.sessions import ReportedRun
from memories.values.choices import Category
from memories.values.text import slug

GroupIdentity = tuple[str, ...]
EDGES = re.compile(r"^[\W_]+|[\W_]+$")
PEOPLE = frozenset(("person", "people", "contact", "contacts"))
MAX_NEW = 20


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
    tags: tuple[str, ...] = ()


def _nothing(runs: Sequence[ReportedRun]) -> Iterable[tuple[ReportedRun, list[Detection]]]:
    return ()


@dataclass(frozen=True)
class Rule:
    """`detect`: the detections of each run, in order; none where a rule reads no plugins' runs.

    `threshold`: number of runs, or of sessions (days) if `by_units`. `share`: the
    least share of the family's runs, as (part, whole). `max_new`: new memories in one pattern run.
    """

    name: str
    threshold: int
    confidence: int
    detect: Callable[[Sequence[ReportedRun]], Iterable[tuple[ReportedRun, list[Detection]]]] = _nothing
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


def categorisation(run: ReportedRun) -> Detection | None:
    """A plugin repeatedly puts what comes from a company into the same category.

    A run without a category counts among those of its company.
    """
    company, category = run.text("company"), run.text("category")
    if not company:
        return None
    source, client, sort = (
        key_part(run.source, "plugin"),
        key_part(without_spaces(company), "company"),
        key_part(category, "category"),
    )
    facts: dict[str, Any] = {**run_fields(run), "family": (source, client), "company_id": company}
    if not category:
        return Detection((source, client, ""), **facts)
    key = f"{source}-{client}-{sort}"
    content = f"{run.source} usually marks what comes from {company} as {category}"
    return Detection((source, client, sort), key=key, content=content, **facts)


CATEGORISATION = Rule("categorisation", threshold=3, confidence=20, detect=per_run(categorisation), share=(60, 100))


def override(run: ReportedRun) -> Detection | None:
    """People repeatedly correct what a plugin writes in the same way."""
    edit = EDGES.sub("", run.text("edit_description"))
    if not run.user_edited or not edit:
        return None
    facts: dict[str, Any] = run_fields(run)
    identity = key_part(run.source, "plugin"), key_part(edit.casefold(), "edit", 120)
    content = f"People correct what {run.source} writes: {edit}"
    return Detection(
        identity, key="-".join(("pref", *identity)), content=content, category=Category.PREFERENCE, **facts
    )


OVERRIDE = Rule("override", threshold=2, confidence=35, detect=per_run(override))


def entity(run: ReportedRun) -> Detection | None:
    """A plugin met a person or thing for the first time."""
    entity, sort = run.text("entity_value"), run.text("entity_type").lower()
    if not entity:
        return None
    facts: dict[str, Any] = {**run_fields(run), "company_id": run.text("company") or None}
    category = Category.CONTACT if sort in PEOPLE else Category.FACT
    sentence = f"{run.source} came across {entity}"
    content = f"{sentence} ({sort})" if sort else sentence
    identity = entity.lower()
    key = f"entity-{key_part(identity, 'entity', 120)}"
    return Detection((identity,), key=key, content=content, category=category, **facts)


ENTITY = Rule("entity", threshold=1, confidence=30, detect=per_run(entity), max_new=MAX_NEW)


def time_of_day(run: ReportedRun) -> Detection:
    """A plugin runs at the same hour on many days. The unit is the day: all its runs count as one, in any sessions."""
    source, hour = key_part(run.source, "plugin"), run.hour
    day = uuid5(NAMESPACE_OID, run.day.isoformat())
    facts: dict[str, Any] = {**run_fields(run), "unit": day, "family": (source,)}
    content = f"{run.source} is usually run at about {hour}:00 ({settings.TIME_ZONE})"
    return Detection((source, str(hour)), key=f"temporal-{source}-{hour}h", content=content, **facts)


TIME_OF_DAY = Rule(
    "time of day",
    threshold=5,
    confidence=20,
    detect=per_run(time_of_day),
    by_units=True,
    share=(1, 2),
    ttl=timedelta(days=90),
)
