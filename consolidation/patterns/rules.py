"""Rules over single reported runs: the company's category, what people correct, who is met, and the time of day."""

import re
from datetime import timedelta
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from django.conf import settings

from consolidation.patterns.reported_run import ReportedRun
from consolidation.patterns.rule import Detection, Rule, key_part, per_run, run_fields, without_spaces
from memories.values.choices import Category

EDGES = re.compile(r"^[\W_]+|[\W_]+$")
PEOPLE = frozenset(("person", "people", "contact", "contacts"))
MAX_NEW = 20


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
