"""Whether what was acknowledged is there, each once: the ledgers of the clients against the tables."""

import io
import zipfile
from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

from tests.cluster.load import SCOPE, Ledger

WAITING = """
SELECT (SELECT count(*) FROM memories_episode WHERE closed_at IS NOT NULL AND digested_at IS NULL),
       (SELECT count(*) FROM memories_pending), (SELECT count(*) FROM consolidation_pattern WHERE due AND cases > 1),
       (SELECT count(*) FROM consolidation_unprofiled), (SELECT count(*) FROM consolidation_argumentfact WHERE due),
       (SELECT count(*) FROM consolidation_planshape WHERE due)
"""
ROWS = {
    "event": "SELECT ref FROM memories_event WHERE kind = 'step'",
    "claim": f"SELECT key FROM memories_memory WHERE scope LIKE '{SCOPE}-%' AND key LIKE 'claim-%'",
    "observation": f"SELECT payload->>'subject' FROM memories_memory WHERE scope LIKE '{SCOPE}-%' "
    "AND payload->>'predicate' = 'weighs'",
    "conversation": "SELECT external_id FROM memories_episode "
    f"WHERE scope LIKE '{SCOPE}-%' AND external_id IS NOT NULL",
    "decision": "SELECT subject_id::text FROM memories_auditentry WHERE action = 'promote' AND subject_id::text IN "
    f"(SELECT id::text FROM memories_memory WHERE scope LIKE '{SCOPE}-%' AND key LIKE 'claim-%')",
    "skill": "SELECT name FROM skills_skillversion v JOIN skills_skill s ON v.skill_id = s.memory_id "
    "WHERE name LIKE 'skill-%' AND v.status = 'published'",
    "use": "SELECT note FROM skills_skilluse WHERE note <> ''",
}
COUNTED_USES = """
SELECT name, successes FROM memories_performance p JOIN skills_skill s ON s.memory_id = p.memory_id
WHERE name LIKE 'skill-%'
"""
LEARNED = f"""
SELECT scope, count(*), COALESCE(sum(successes), 0),
       (SELECT count(*) FROM consolidation_sighting s JOIN consolidation_pattern o ON s.pattern_id = o.id
        WHERE o.scope = p.scope)
FROM consolidation_pattern p WHERE scope LIKE '{SCOPE}-%' GROUP BY scope
"""
COUNTED_FACTS = f"""
SELECT f.scope, count(*), sum((SELECT count(*) FROM consolidation_argumentuse u WHERE u.fact_id = f.id)),
       sum((SELECT count(*) FROM consolidation_argumentuse u WHERE u.fact_id = f.id AND NOT u.counted)),
       sum((SELECT count(*) FROM memories_evidence e WHERE e.memory_id = f.memory_id)), count(f.memory_id)
FROM consolidation_argumentfact f WHERE scope LIKE '{SCOPE}-%' GROUP BY scope
"""
PLANS = f"""
SELECT p.scope, count(*), sum((SELECT count(*) FROM consolidation_plannedrun r WHERE r.shape_id = p.id)),
       sum((SELECT count(*) FROM memories_evidence e WHERE e.memory_id = p.memory_id))
FROM consolidation_planshape p WHERE scope LIKE '{SCOPE}-%' GROUP BY scope
"""
LEARNED_SKILLS = f"""
SELECT s.scope, count(*), sum((SELECT count(*) FROM memories_evidence e WHERE e.memory_id = s.memory_id)),
       (SELECT count(*) FROM memories_memory m WHERE m.scope = s.scope AND m.type = 'competence'
        AND m.origin = 'consolidated')
FROM skills_skill s WHERE scope LIKE '{SCOPE}-%' AND name NOT LIKE 'skill-%' GROUP BY scope
"""
ENOUGH = 6  # conversations of a scope, from which a fact is said
OF_SCOPES: dict[str, tuple[str, Callable[[int], tuple[int, ...]]]] = {  # what each counts of so many conversations
    "patterns, successes, sightings": (LEARNED, lambda n: (1, n, n)),
    "skills, evidence, competences": (LEARNED_SKILLS, lambda n: (1, n, 1)),
    "facts, uses, uncounted, evidence, memories": (COUNTED_FACTS, lambda n: (1, n, 0, n, 1)),
    "plans, runs, evidence": (PLANS, lambda n: (1, n, n)),
}


class Tables(Protocol):
    def sql(self, statement: str) -> list[tuple[Any, ...]]: ...


def waiting(server: Tables) -> tuple[Any, ...]:
    """What background work has not done yet: episodes, passages without a vector, patterns, profiles,
    facts, plans."""
    [row] = server.sql(WAITING)
    return row


def merged(ledgers: list[Ledger]) -> Ledger:
    whole = Ledger()
    for ledger in ledgers:
        for kind, names in ledger.acknowledged.items():
            whole.acknowledged.setdefault(kind, {}).update(names)
        whole.seconds += ledger.seconds
        whole.tries += ledger.tries
        whole.wrong += ledger.wrong
    return whole


def faults(server: Tables, ledger: Ledger) -> list[str]:
    """What was lost or doubled, a line each."""
    found = list(ledger.wrong)
    for kind, statement in ROWS.items():
        stored = Counter(str(name) for [name] in server.sql(statement))
        lost = sorted(set(ledger.acknowledged.get(kind, {})) - set(stored))
        twice = sorted(name for name, times in stored.items() if times > 1)
        found += [f"{kind} lost: {lost[:20]}"] * bool(lost) + [f"{kind} doubled: {twice[:20]}"] * bool(twice)
    return found + _of_jobs(server, ledger) + _of_uses(server, ledger) + _of_packages(ledger)


def _of_jobs(server: Tables, ledger: Ledger) -> list[str]:
    """Each conversation is counted once in the one pattern, skill, fact and plan that all of its scope share."""
    expected = Counter(ledger.acknowledged.get("conversation", {}).values())
    found = []
    for words, (statement, wanted) in OF_SCOPES.items():
        learned = {str(scope): tuple(int(n or 0) for n in counts) for scope, *counts in server.sql(statement)}
        for scope in sorted(expected | Counter(learned.keys())):
            times = expected[scope]
            if learned.get(scope) != wanted(times) and (times >= ENOUGH or statement != COUNTED_FACTS):
                found.append(f"{times} conversations of {scope}, but {words}: {learned.get(scope)}")
    return found


def _of_uses(server: Tables, ledger: Ledger) -> list[str]:
    expected = Counter(ledger.acknowledged.get("use", {}).values())
    counted = {str(name): successes for name, successes in server.sql(COUNTED_USES)}
    wrong = {name: (times, counted.get(name)) for name, times in expected.items() if counted.get(name) != times}
    return [f"uses of skills, acknowledged and counted: {wrong}"] if wrong else []


def _of_packages(ledger: Ledger) -> list[str]:
    broken = []
    for name, content in ledger.acknowledged.get("skill", {}).items():
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            texts = [package.read(path).decode() for path in package.namelist() if path.endswith("SKILL.md")]
        if not any(f"name: {name}\n" in text for text in texts):
            broken.append(name)
    return [f"packages with another content: {broken}"] if broken else []
