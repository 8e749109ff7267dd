"""Which tools only read: by their names, by what callers declare, and before both by what a person decided."""

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from consolidation.models import Pattern, ToolUse
from consolidation.models.tool_decisions import ToolDecision, called_tools, marks
from consolidation.pipelines.tool_rules import tool_rules
from memories.models import AuditEntry, Episode, Memory
from memories.values.choices import Sensitivity
from memories.values.exceptions import Conflict
from memories.values.trust import Actor, Trust
from tests.consolidation.experience import NOON, competence, consolidated, run
from tests.make import ANNA, AT, BEN, answer, call, user
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
PAGE = "/skills/tools/"


def decide(tool: str, only_reads: bool | None, *, seen: str = "", by: Actor = ANNA) -> ToolDecision:
    return ToolDecision.objects.decide(tool, only_reads, seen=seen, sensitivity=1, by=by, at=AT)


def rows(page: Any) -> dict[str, tuple[str, str]]:
    return {row.called.name: (row.counts_as, row.why) for row in page.context["rows"]}


def test_a_decision_holds_against_the_callers_and_the_name() -> None:
    tools = [{"type": "function", "function": {"name": "preview", "annotations": {"readOnlyHint": True}}}]
    run(["preview", "get_order"], tools=tools)
    assert rows(signed_in().get(PAGE)) == {"get_order": ("reads", "name"), "preview": ("reads", "declared")}
    decide("preview", False)
    decide("get_order", False)
    assert rows(signed_in("ben").get(PAGE)) == {"get_order": ("acts", "person"), "preview": ("acts", "person")}
    consolidated()
    assert Pattern.objects.get().signature == "get_order+preview"
    assert tool_rules(Episode.objects.all()).marked == {"preview": False, "get_order": False}


def test_a_tool_that_its_caller_declares_destructive_acts_whatever_its_name_says() -> None:
    hints: dict[str, Any] = {"get_and_purge": {"destructiveHint": True}, "list_orders": {"destructiveHint": False}}
    hints["find_stale"] = {"readOnlyHint": True, "destructiveHint": True}  # which counts only where something changes
    run([*hints], tools=[{"name": name, "annotations": annotations} for name, annotations in hints.items()])
    assert rows(signed_in().get(PAGE)) == {
        "find_stale": ("reads", "declared"),
        "get_and_purge": ("acts", "declared"),
        "list_orders": ("reads", "name"),
    }


def test_skills_that_differ_in_a_tool_that_only_reads_become_one() -> None:
    run(["cancel_order"])
    run(["cancel_order"], minutes=1)
    run(["prepare_order", "cancel_order"], minutes=2)
    consolidated()
    assert Pattern.objects.count() == 2
    decide("prepare_order", True)
    consolidated(at=NOON + timedelta(hours=2))
    assert Pattern.objects.get().signature == "cancel_order"
    assert competence("cancel_order").performance.successes == 3


def test_who_decides_about_what_changed_meanwhile_is_refused() -> None:
    decide("prepare", True)
    with pytest.raises(Conflict, match="anna has already decided about this tool"):
        decide("prepare", False, by=BEN)
    decide("prepare", None, seen="reads", by=BEN)
    assert marks().decided == {}
    entries = AuditEntry.objects.filter(subject_kind="tool").order_by("id")
    assert [(one.actor, one.after["only_reads"]) for one in entries] == [("anna", True), ("ben", None)]


def test_a_reviewer_decides_on_the_page_and_a_viewer_does_not() -> None:
    run(["prepare_order"])
    form = {"tool": "prepare_order", "decision": "reads", "seen": "", "next": PAGE}
    assert signed_in("vera", group="viewer").post(f"{PAGE}decide/", form).status_code == 403
    client = signed_in()
    page = client.post(f"{PAGE}decide/", form, follow=True).content.decode()
    assert "prepare_order counts as read-only" in page
    assert "anna decided it" in page
    assert "Too late" in client.post(f"{PAGE}decide/", form | {"decision": "acts"}, follow=True).content.decode()
    assert client.post(f"{PAGE}decide/", form | {"tool": "unheard_of"}).status_code == 404
    assert client.post(f"{PAGE}decide/", form | {"decision": "maybe"}).status_code == 404


def test_a_tool_of_runs_above_the_reader_is_neither_shown_nor_decided() -> None:
    run(["launch_rocket"])
    Memory.objects.update(sensitivity=Sensitivity.HIGH)
    client = signed_in()
    assert rows(client.get(PAGE)) == {}
    assert client.post(f"{PAGE}decide/", {"tool": "launch_rocket", "decision": "reads"}).status_code == 404
    assert called_tools(Trust(ANNA, scopes=frozenset({"elsewhere"}), max_sensitivity=4), most=5) == []


def test_settings_tell_what_nobody_decides(settings: Any) -> None:
    settings.IGNORED_TOOLS = ["think_hard"]
    run(["think_hard", "transfer_to_human", "bash"])
    assert rows(signed_in().get(PAGE)) == {
        "bash": ("commands", "commands"),
        "think_hard": ("nothing", "ignored"),
        "transfer_to_human": ("nothing", "handover"),
    }
    assert "decide-tool" not in signed_in("ben").get(PAGE).content.decode()


def test_tools_are_counted_searched_and_paged_by_name(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    run([f"make_{n:03}" for n in range(101)])
    run(["make_007"], minutes=1)
    client = signed_in()
    client.get(PAGE)
    with django_assert_num_queries(10):
        page = client.get(PAGE)
    assert [len(page.context["rows"]), page.context["next"]] == [100, "make_099"]
    assert list(rows(client.get(PAGE, {"after": "make_099"}))) == ["make_100"]
    [found] = client.get(PAGE, {"q": "KE_007"}).context["rows"]
    assert (found.called.calls, found.called.runs) == (2, 2)


def test_a_tool_whose_arguments_tell_what_a_call_does_counts_call_by_call_unless_a_person_decides() -> None:
    asked = [user("pay"), call("run_sql", sql="UPDATE orders SET state = 'x'"), answer("ok")]
    asked += [call("run_sql", "c2", sql="SELECT * FROM orders"), answer("rows", "c2")]
    run([], messages=asked)
    assert rows(signed_in().get(PAGE)) == {"run_sql": ("operations", "operations")}
    consolidated()
    assert Pattern.objects.get().signature == "UPDATE orders" and not ToolUse.objects.exists()
    decide("run_sql", True)
    assert rows(signed_in("ben").get(PAGE)) == {"run_sql": ("reads", "person")}
