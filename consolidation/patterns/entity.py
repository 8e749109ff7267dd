"""The rule `entity`: a plugin met a person or thing for the first time."""

from typing import Any

from consolidation.patterns.reported_run import ReportedRun
from consolidation.patterns.rule import Detection, Rule, key_part, per_run, run_fields
from memories.values.choices import Category

PEOPLE = frozenset(("person", "people", "contact", "contacts"))
MAX_NEW = 20


def detect(run: ReportedRun) -> Detection | None:
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


RULE = Rule("entity", threshold=1, confidence=30, detect=per_run(detect), max_new=MAX_NEW)
