"""Which facts about commands wait for a person: those that say what nobody would have tried first.

That is a command that does not start, or one that starts and is not what starts in most other places of the scope. "In
sklearn `pytest` starts" is true, kept and found, but spares nobody anything where `pytest` starts elsewhere too.
"""

from collections import Counter, defaultdict

from consolidation.models.commands import CommandFact


def choose(scope: str) -> None:
    """Settle of each fact of a scope whether it waits. Call when facts were written: what is usual may have changed."""
    by_purpose: dict[str, list[CommandFact]] = defaultdict(list)
    facts = CommandFact.objects.filter(scope=scope, memory__isnull=False).exclude(said={})
    for fact in facts.only("purpose", "sensitivity", "said", "waits"):
        by_purpose[fact.purpose].append(fact)
    changed = []
    for alike in by_purpose.values():
        for level in {fact.sensitivity for fact in alike}:
            usual = Counter(form for fact in alike if fact.sensitivity <= level for form in fact.starting)
            changed += [fact for fact in alike if fact.sensitivity == level and fact.waits != _waits(fact, usual)]
    for fact in changed:
        fact.waits = not fact.waits
    CommandFact.objects.bulk_update(changed, ["waits"])


def _waits(fact: CommandFact, usual: Counter[str]) -> bool:
    """`usual`: in how many places each form starts, this one among them."""
    if len(fact.starting) < len(fact.said):
        return True
    elsewhere = usual - Counter(fact.starting)
    most = max(elsewhere.values(), default=0)
    return any(not most or elsewhere[form] < most for form in fact.starting)
