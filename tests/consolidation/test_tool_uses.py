"""What tells whether a tool changes anything: people, callers, its behaviour, its name; else a person is asked once."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.models import ToolDecision, ToolUse
from consolidation.pipelines.tool_rules import tool_rules
from memories.values.trust import everything
from tests.consolidation.experience import NOON, consolidated, run
from tests.make import answer, call, make_person, user

READ = [
    "obtener_cliente",
    "verificar_detalles",
    "listar_actividades",
    "suche_kunde",
    "vérifier_solde",
    "查询订单",
    "track_parcel",
]
ACT = ["crear_solicitud", "cancel_order", "storniere_buchung", "annuler_commande", "取消订单", "recommend_fertilizer"]
HAND_OVER = ["escalate_to_human", "transfer_to_human_agents", "derivar_a_agente", "转人工客服"]


def test_names_tell_in_the_languages_of_the_lexicon() -> None:
    rules = ToolRules(handover=("transfer_*",))
    assert [tool for tool in (*READ, *HAND_OVER) if rules.is_effect(tool)] == []
    assert [tool for tool in ACT if not rules.is_effect(tool)] == []
    assert [tool for tool in HAND_OVER if not rules.hands_over(tool)] == []
    assert not rules.hands_over("transfer_funds_to_account".replace("transfer_", "move_"))


def used(
    number: int, *tools: str, results: tuple[str, ...] = ("same", "same"), outcome: str = "success", **more: Any
) -> Any:
    messages: list[Any] = [user(f"please help me with matter {number}")]
    for step, tool in enumerate(tools):
        messages += [call(tool, f"c{step}", code=f"m-{number}"), answer(results[step % len(results)], f"c{step}")]
    return run([], outcome, messages=messages, minutes=number, **more)


@pytest.mark.django_db
def test_a_tool_that_answers_the_same_call_alike_reads_and_one_that_nothing_tells_of_is_asked_about_once(
    client: Client,
) -> None:
    for number in range(4):
        used(number, "validate_code", "validate_code")
        used(10 + number, "process_code", "process_code", results=("first", "second"))
        used(20 + number, "suggest_code")
    consolidated()
    assert tool_rules().marked == {"validate_code": True}
    trust = everything()
    assert [use.tool for use in ToolUse.objects.asked(trust)] == ["process_code", "suggest_code"]
    client.force_login(make_person())
    page = client.get(reverse("tools")).content.decode()
    assert "<code>process_code</code> change something? Called 8 times in 4 runs." in page
    assert "validate_code</code> change something" not in page
    inbox = client.get(reverse("inbox")).content.decode()
    assert "Nobody has said whether 2 tools change something or only read" in inbox
    ToolDecision.objects.decide("process_code", None, seen="", sensitivity=0, by=trust.actor, at=NOON)
    assert [use.tool for use in ToolUse.objects.asked(trust)] == ["suggest_code"]
    ToolDecision.objects.decide("validate_code", False, seen="", sensitivity=0, by=trust.actor, at=NOON)
    assert tool_rules().marked["validate_code"] is False  # a person knows better


@pytest.mark.django_db
def test_a_change_between_two_calls_tells_nothing_in_whichever_scope_it_was_made() -> None:
    for number in range(3):
        used(number, "validate_code")
        used(10 + number, "validate_code", "cancel_order", "validate_code", scope="project:zeta")
    consolidated()
    assert tool_rules().marked == {}


@pytest.mark.django_db
def test_nobody_is_asked_about_a_tool_of_which_its_callers_say_that_it_only_reads() -> None:
    declared = [{"name": "suggest_code", "annotations": {"readOnlyHint": True}}]
    for number in range(3):
        used(number, "suggest_code", "propose_code", tools=declared)
    consolidated()
    assert [use.tool for use in ToolUse.objects.asked(everything())] == ["propose_code"]


@pytest.mark.django_db
def test_runs_whose_calls_are_too_old_to_be_looked_at_are_not_taken_for_runs_without_the_tool(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("consolidation.pipelines.tool_rules.MOST_CALLS", 10)
    for number in range(10):
        used(number, "validate_code", "validate_code", outcome="failure" if number < 5 else "success")
    consolidated()
    assert tool_rules().marked == {"validate_code": True}


def test_a_change_between_two_calls_tells_nothing() -> None:
    from consolidation.pipelines.tool_rules import _Call, repeats

    calls = [_Call("e", position, {"id": 1}, result, True, 0) for position, result in ((1, "open"), (3, "closed"))]  # type: ignore[arg-type]
    steps: Any = {"e": [(1, "validate_x"), (2, "cancel_x"), (3, "validate_x")]}
    assert repeats(calls, steps, ToolRules()) == ([], [])
    steps["e"][1] = (2, "get_x")
    assert [len(found) for found in repeats(calls, steps, ToolRules())] == [0, 1]


@pytest.mark.django_db
def test_what_tells_of_tools_is_read_as_often_for_many_new_runs_as_for_one() -> None:
    read = []
    for runs in (1, 4):
        for number in range(runs):
            used(number, "get_order", "cancel_order")
        with CaptureQueriesContext(connection) as asked:
            consolidated()
        tables = (ToolUse._meta.db_table, ToolDecision._meta.db_table)
        read.append([sum(f'FROM "{table}"' in query["sql"] for query in asked) for table in tables])
    assert read[0] == read[1]
