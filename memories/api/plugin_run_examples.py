"""Example batches of plugin runs, one for each of the five pattern rules, with just enough runs for it.

A test posts them, runs the rules, and looks for the key that each names.
"""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
SCOPE = "project:inbox"
CATEGORY_CONTEXT = {"company": "Acme Corp", "category": "action-required"}
EDIT_CONTEXT = {"user_edited": True, "edit_description": "Shortened the greeting"}
ENTITY_EXAMPLE = {"entity_type": "contact", "entity_value": "sarah@newclient.com", "company": "New Client"}


@dataclass(frozen=True)
class RuleExample:
    """A description of what a rule looks for, a batch body, and the key of the resulting candidate."""

    words: str
    key: str
    body: Json

    @property
    def summary(self) -> str:
        return f"{self.words}. It becomes {self.key}"


def plugin_run(source: str, day: int, context: Json, *, minute: int = 0, **more: Any) -> Json:
    """A batch item: this plugin ran on that day of March 2026."""
    ref, at = f"{source}-{day}-{minute}", f"2026-03-{day:02}T08:{minute:02}:00Z"
    return {
        "kind": "event",
        "event_kind": "plugin_run",
        "source": source,
        "ref": ref,
        "scope": SCOPE,
        "timestamp": at,
        "context": context,
        **more,
    }


def _session(day: int) -> list[Json]:
    """Two runs in one session: triage, then a draft."""
    thread: Json = {"thread_id": f"inbox-{day}"}
    first = plugin_run("triage", day, {"input_type": "email"}, **thread)
    return [first, plugin_run("drafting", day, {"output_type": "draft"}, minute=10, **thread)]


PLUGIN_RUNS = {
    "RepeatedCategorisation": RuleExample(
        "A plugin puts what comes from one company into the same category: three times, and in 60 % of its runs",
        "triage-acmecorp-action-required",
        {"items": [plugin_run("triage", day, CATEGORY_CONTEXT) for day in (2, 3, 4)]},
    ),
    "UserOverride": RuleExample(
        "People change what a plugin wrote, twice in the same way",
        "pref-drafting-shortened-the-greeting",
        {"items": [plugin_run("drafting", day, EDIT_CONTEXT) for day in (2, 3)]},
    ),
    "NewEntity": RuleExample(
        "Somebody or something is met for the first time",
        "entity-sarah-newclient-com",
        {"items": [plugin_run("triage", 2, ENTITY_EXAMPLE)]},
    ),
    "Sequence": RuleExample(
        "One plugin follows another within two hours, in three sessions",
        "workflow-seq-triage-drafting",
        {"items": [run for day in (2, 3, 4) for run in _session(day)]},
    ),
    "TimeOfDay": RuleExample(
        "A plugin runs at one hour, on five days and in at least half of its runs",
        "temporal-triage-8h",
        {"items": [plugin_run("triage", day, {"run_hour": 8}) for day in (2, 3, 4, 5, 6)]},
    ),
}
