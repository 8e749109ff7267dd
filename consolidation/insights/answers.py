"""Count the answers of guidance as they are given: nothing else is kept of them."""

from datetime import datetime

from consolidation.guidance.answer import Guidance
from consolidation.insights.days import day_of
from consolidation.models import DailyCount
from memories.values.trust import Trust
from memos_site.platform import outages
from memos_site.platform.postgres import replicas

GUIDANCE = "guidance"


def count(advice: Guidance, *, trust: Trust, at: datetime) -> None:
    """For a caller of one scope in that scope, else without one: a name that a caller makes up is not kept."""
    only = list(trust.scopes or ())
    scope = only[0] if len(only) == 1 else ""
    labels = ["withheld" if advice.withheld else "unsure" if advice.decision == "unsure" else "answered"]
    if advice.check and advice.check.verdict == "advised_against":
        labels.append("advised_against")
    with outages.dispensable("an answer of guidance"), replicas.primary():  # also where a replica answers
        for label in labels:
            DailyCount.objects.increment(GUIDANCE, label, day=day_of(at), scope=scope)
