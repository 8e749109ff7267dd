"""People correct what a plugin wrote, and again in the same way."""

import re
from typing import Any

from consolidation.patterns.plugin_run import Ran
from consolidation.patterns.rule import Rule, Sign, each, fields_of, part
from memories.values.choices import Category

EDGES = re.compile(r"^[\W_]+|[\W_]+$")


def sign(run: Ran) -> Sign | None:
    edit = EDGES.sub("", run.said("edit_description"))
    if not run.user_edited or not edit:
        return None
    own: dict[str, Any] = fields_of(run)
    identity = part(run.source, "plugin"), part(edit.casefold(), "edit", 120)
    content = f"People correct what {run.source} writes: {edit}"
    return Sign(identity, key="-".join(("pref", *identity)), content=content, category=Category.PREFERENCE, **own)


RULE = Rule("override", threshold=2, confidence=35, signs=each(sign))
