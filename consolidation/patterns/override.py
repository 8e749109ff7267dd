"""The rule `override`: people repeatedly correct what a plugin writes in the same way."""

import re
from typing import Any

from consolidation.patterns.reported_run import ReportedRun
from consolidation.patterns.rule import Detection, Rule, key_part, per_run, run_fields
from memories.values.choices import Category

EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def detect(run: ReportedRun) -> Detection | None:
    edit = EDGES.sub("", run.text("edit_description"))
    if not run.user_edited or not edit:
        return None
    facts: dict[str, Any] = run_fields(run)
    identity = key_part(run.source, "plugin"), key_part(edit.casefold(), "edit", 120)
    content = f"People correct what {run.source} writes: {edit}"
    return Detection(
        identity, key="-".join(("pref", *identity)), content=content, category=Category.PREFERENCE, **facts
    )


RULE = Rule("override", threshold=2, confidence=35, detect=per_run(detect))
