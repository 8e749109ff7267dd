"""Each rule reads the runs for itself: one that raises does not stop the others, nor the other runs."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from django.db import InterfaceError, OperationalError, transaction

from consolidation.models.groups import Unread
from consolidation.patterns import categorisation, entity, override, sequence, time_of_day
from consolidation.patterns.candidates import Decider
from consolidation.patterns.counts import Ledger
from consolidation.patterns.plugin_run import Ran
from consolidation.patterns.rule import Rule

RULES = (categorisation.RULE, override.RULE, entity.RULE, sequence.RULE, time_of_day.RULE)
OUTAGE = (OperationalError, InterfaceError)  # no fault of an event


class Going(Protocol):
    """What a run of consolidation carries along."""

    at: datetime
    left: dict[str, int]

    def failed(self, what: str) -> None: ...


def apply(rule: Rule, scope: str, runs: Sequence[Ran], going: Going) -> Counter[str]:
    """What the rule made of these runs. If that fails, each run alone; the one that fails is left to be tried again."""
    try:
        return apply_one(rule, runs, going)
    except OUTAGE:
        raise
    except Exception:  # whatever a rule meets in one run must cost neither the other runs nor the other rules
        return _each_alone(rule, runs, going)


def apply_one(rule: Rule, runs: Sequence[Ran], going: Going) -> Counter[str]:
    """All of it or, when it raises, nothing."""
    if not runs:
        return Counter()
    with transaction.atomic():
        found = list(rule.signs(runs))
        signs = [sign for _, shown in found for sign in shown]
        if not signs:
            return Counter()
        ledger = Ledger(rule, runs[0].scope, signs)
        decider = Decider(rule, ledger, left=going.left.get(rule.name), at=going.at)
        for run, shown in found:
            for sign in shown:
                if decider.may(sign):
                    decider.meet(sign)
                else:
                    Unread.objects.note(rule.name, run.event_id, run.episode_id, run.scope, waiting=True)
                    decider.counters["waiting"] += 1
        ledger.close()
    if decider.left is not None:
        going.left[rule.name] = decider.left
    return decider.counters


def _each_alone(rule: Rule, runs: Sequence[Ran], going: Going) -> Counter[str]:
    counters: Counter[str] = Counter()
    for run in runs:
        try:
            counters.update(apply_one(rule, [run], going))
        except OUTAGE:
            raise
        except Exception as error:  # kept beside the event for this rule alone, and tried again
            said = f"{type(error).__name__}: {error}"  # it may quote the event: shown only to who sees that
            Unread.objects.note(rule.name, run.event_id, run.episode_id, run.scope, attempts=1, error=said[:2000])
            going.failed(f"{rule.name}: {type(error).__name__}")
    return counters
