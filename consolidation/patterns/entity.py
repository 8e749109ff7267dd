"""A plugin came across somebody or something for the first time."""

from typing import Any

from consolidation.patterns.plugin_run import Ran
from consolidation.patterns.rule import Rule, Sign, each, fields_of, part
from memories.values.choices import Category

PEOPLE = frozenset(("person", "people", "contact", "contacts"))
MOST_A_RUN = 20


def sign(run: Ran) -> Sign | None:
    entity, sort = run.said("entity_value"), run.said("entity_type").lower()
    if not entity:
        return None
    own: dict[str, Any] = {**fields_of(run), "company_id": run.said("company") or None}
    category = Category.CONTACT if sort in PEOPLE else Category.FACT
    met = f"{run.source} came across {entity}"
    content = f"{met} ({sort})" if sort else met
    identity = entity.lower()
    key = f"entity-{part(identity, 'entity', 120)}"
    return Sign((identity,), key=key, content=content, category=category, **own)


RULE = Rule("entity", threshold=1, confidence=30, signs=each(sign), most=MOST_A_RUN)
