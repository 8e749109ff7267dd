"""The rule `categorisation`: a plugin repeatedly puts what comes from a company into the same category."""

from typing import Any

from consolidation.patterns.reported_run import ReportedRun
from consolidation.patterns.rule import Detection, Rule, key_part, per_run, run_fields, without_spaces


def detect(run: ReportedRun) -> Detection | None:
    """The company and category of a run. A run without a category counts among those of its company."""
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


RULE = Rule("categorisation", threshold=3, confidence=20, detect=per_run(detect), share=(60, 100))
