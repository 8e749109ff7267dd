from typing import Any

import pytest

from consolidation.learning.runs import errors
from tests.consolidation.recorded import run


@pytest.mark.parametrize(
    "result",
    [
        "Error: order not found",
        '{"error": "no such file"}',
        {"isError": True, "content": "denied"},
        {"status": "failed"},
        {"exit_code": 2, "stdout": ""},
        {"success": False},
        "Traceback (most recent call last):\n  File x\nKeyError: 'a'",
        "ValueError: bad input",
        "main.go:3:1: undefined: x\nexit status 1",
        "--- FAIL: TestPay (0.00s)\nFAIL",
        "错误：订单不存在",
        "Error: no such order",
        "bash: rg: command not found",
        {"Success": False, "Message": "Not allowed"},
        {"response": {"error": "not allowed"}},
        {"エラー": "予約が見つかりません"},
        "Ошибка: заказ не найден",
        "HTTP Error 503: try later",
        "404 Not Found",
        "Status: 422",
        "psql: error: connection refused",
        {"envelope": {"body": {"fault": {"code": "NotFound"}}}},
    ],
)
def test_where_the_recording_is_silent_the_result_tells_an_error(result: Any) -> None:
    assert run(1, ("tool", {}, result)).steps[0].failed


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"fehler": "Exemplar nicht gefunden"}, "Exemplar nicht gefunden"),
        ({"错误": "尺码无效"}, "尺码无效"),
        ({"erfolg": False, "message": "gesperrt"}, "gesperrt"),
        ("Erreur : technicien inconnu", "Erreur : technicien inconnu"),
        ("Falha ao salvar", "Falha ao salvar"),
        ("Échec: non", "Échec: non"),
    ],
)
def test_an_error_is_one_in_the_languages_of_the_lexicon(result: Any, message: str) -> None:
    step = run(1, ("tool", {}, result)).steps[0]
    assert (step.failed, errors.message(step.parsed_result)) == (True, message)


@pytest.mark.parametrize(
    "result",
    [
        "ok",
        "0 errors, 0 warnings",
        "errors: none",
        {"error": None, "status": "shipped"},
        {"errors": []},
        {"exit_code": 0},
        {"items": [{"note": "error in the last delivery"}]},
        "The flight was cancelled without any failure.",
        "Errors are described in chapter 3",
        "Fail-safe is on",
        None,
        7,
        ["Error: as an item of a list"],
    ],
)
def test_a_word_about_errors_is_not_an_error(result: Any) -> None:
    assert not run(1, ("tool", {}, result)).steps[0].failed


def test_the_recording_knows_better_than_the_text() -> None:
    assert not run(1, ("tool", {}, "Error: expected by the test"), ok=True).steps[0].failed
    assert run(1, ("tool", {}, "fine"), ok=False).steps[0].failed


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"error": {"code": 4, "message": "quota exceeded"}}, "quota exceeded"),
        ("Traceback (most recent call last):\n  File x\nKeyError: 'a'", "KeyError: 'a'"),
        ("# pkg\nmain.go:3:1: undefined: x\nexit status 1", "main.go:3:1: undefined: x"),
        ("exit status 1", "exit status 1"),
        (
            "ImportError while loading conftest 'conftest.py'.\nconftest.py:3: in <module>\n    import django\n"
            "E   ModuleNotFoundError: No module named 'django'",
            "ModuleNotFoundError: No module named 'django'",
        ),
        ({"exit_code": 1, "stderr": "disk full"}, "disk full"),
        ({"isError": True, "content": [{"type": "text", "text": "payment not found"}]}, "payment not found"),
        ("", ""),
    ],
)
def test_the_message_of_an_error_is_its_most_telling_line(result: Any, message: str) -> None:
    assert errors.message(result) == message


def test_a_mutation_that_reports_errors_of_the_user_has_failed() -> None:
    refused = {"data": {"cancelOrder": {"order": None, "userErrors": [{"message": "order is shipped"}]}}}
    assert errors.looks_failed(refused) and errors.message(refused) == "order is shipped"
    assert not errors.looks_failed({"data": {"cancelOrder": {"order": {"id": "7"}, "userErrors": []}}})


def test_an_opening_is_what_the_user_said_before_the_first_call() -> None:
    chat = run(1, "Hello", "> Yes?", "Cancel my order", ("cancel", {}, ""), "Thanks")

    assert chat.opening == "Hello\nCancel my order"


def test_a_run_that_starts_with_a_call_opens_with_the_first_words_that_follow() -> None:
    assert run(1, ("ping", {}, ""), "Deploy it", "Now").opening == "Deploy it"
    assert run(2, ("ping", {}, "")).opening == ""


def test_bad_json_stays_text_and_names_no_arguments() -> None:
    broken = run(1, ("tool", '{"a": 1', "[1, 2")).steps[0]

    assert broken.arguments == {}
    assert broken.parsed_result == "[1, 2"


def test_arguments_that_came_as_json_text_are_read() -> None:
    assert run(1, ("tool", '{"a": 1}', "{}")).steps[0].arguments == {"a": 1}


@pytest.mark.parametrize(
    ("result", "failed", "message"),
    [
        ("<returncode>0</returncode>\n<output>\na.py:1: ValueError: bad\n</output>", False, "a.py:1: ValueError: bad"),
        ("<returncode>1</returncode>\n<output>\nImportError: no foo\n</output>", True, "ImportError: no foo"),
        ("<exit_code>127</exit_code><output>sh: x: command not found</output>", True, "sh: x: command not found"),
        ("<returncode>1</returncode>\n<output></output>", True, ""),
    ],
)
def test_an_exit_code_in_a_tag_decides_whatever_the_output_says(result: str, failed: bool, message: str) -> None:
    assert (errors.looks_failed(result), errors.message(result)) == (failed, message)


@pytest.mark.parametrize(
    "result",
    [
        {"order": {"status": "failed"}},
        {"response": {"error": None}},
        "404 rooms are free",
        "<html><body><h1>Error</h1></body></html>",
    ],
)
def test_a_record_that_tells_of_a_failure_is_no_failed_call(result: Any) -> None:
    assert not run(1, ("tool", {}, result)).steps[0].failed


def test_an_error_within_an_object_is_told() -> None:
    assert errors.message({"Error": {"Code": "NoSuchKey", "Message": "The key does not exist"}}).endswith("not exist")
