"""A plugin puts what comes from a company into the same category again and again."""

from typing import Any

from consolidation.patterns.plugin_run import Ran
from consolidation.patterns.rule import Rule, Sign, each, fields_of, joined, part


def sign(run: Ran) -> Sign | None:
    """Runs without a category count among those of their company."""
    company, category = run.said("company"), run.said("category")
    if not company:
        return None
    source, client, sort = part(run.source, "plugin"), part(joined(company), "company"), part(category, "category")
    own: dict[str, Any] = {**fields_of(run), "family": (source, client), "company_id": company}
    if not category:
        return Sign((source, client, ""), **own)
    key = f"{source}-{client}-{sort}"
    content = f"{run.source} usually marks what comes from {company} as {category}"
    return Sign((source, client, sort), key=key, content=content, **own)


RULE = Rule("categorisation", threshold=3, confidence=20, signs=each(sign), share=(60, 100))
