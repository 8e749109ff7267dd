"""manage.py import_conversations: every line is imported, skipped, or named with what is wrong with it."""

import json
import os
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memories.models import Episode, Event, Memory
from memories.transfer import conversation_lines
from tests.make import answer, call, run, user

pytestmark = pytest.mark.django_db


def line(**fields: Any) -> bytes:
    return json.dumps(run(**fields)).encode()


class Imports:
    """The command on one file, as often as a test likes."""

    def __init__(self, path: Path) -> None:
        self.path, self.said = path, ""

    def __call__(self, *lines: bytes, **options: Any) -> str:
        """Its last word, or `exit 1` with the errors in `said`."""
        self.path.write_bytes(b"\n".join(lines))
        out, err = StringIO(), StringIO()
        try:
            call_command("import_conversations", self.path, stdout=out, stderr=err, **options)
            return out.getvalue().strip()
        except SystemExit as left:
            return f"exit {left.code}"
        finally:
            self.said = err.getvalue()


@pytest.fixture
def imports(tmp_path: Path) -> Imports:
    return Imports(tmp_path / "runs.jsonl")


def test_lines_become_episodes_of_the_scope_and_source_that_the_command_names(imports: Imports) -> None:
    done = imports(line(id="1"), line(id="2", scope="user:anna"), b"", scope="project:airline", source="agent-7")
    assert done == "2 imported, 0 updated, 0 skipped, 0 failed"
    assert list(Episode.objects.order_by("external_id").values_list("scope", "source", "memory__created_by")) == [
        ("project:airline", "agent-7", "import"),
        ("user:anna", "agent-7", "import"),
    ]


def test_a_lines_own_source_stands_and_null_names_none(imports: Imports) -> None:
    imports(line(source_plugin="P01", scope=None), scope="project:a", source="agent-7")
    assert Episode.objects.values_list("scope", "source").get() == ("project:a", "P01")


def test_a_second_import_skips_what_it_knows_and_replaces_outcomes(imports: Imports) -> None:
    lines = [line(id=n, outcome="success") for n in range(3)]
    imports(*lines)
    assert imports(*lines) == "0 imported, 0 updated, 3 skipped, 0 failed"
    done = imports(line(id=0, outcome="failure"), *lines[1:], line(id=3))
    assert done == "1 imported, 1 updated, 2 skipped, 0 failed"
    assert (Memory.objects.count(), Episode.objects.get(external_id="0").outcome) == (4, "failure")


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (b"no json", "not JSON: Expecting value at character 0"),
        (b'{"messages": [{"role": "user"}', "not JSON: Expecting ',' delimiter at character 31"),
        (b"[1]", "a conversation must be an object with messages"),
        (b"{}", "messages: is required"),
        (line(messages=[]), "messages: needs at least one item"),
        (line(messages=[user("a"), {"content": "b"}]), "messages[1].role: is required"),
        (line(outcome="banana"), "outcome: must be one of success, failure, partial"),
        (line(messages=[user("a\0")]), "messages[0].content: a NUL character cannot be stored"),
        (line(messages=[user("\ud800")]), "messages[0].content: a lone surrogate cannot be stored"),
        (b'{"messages": [NaN]}', "NaN is not a JSON number"),
        (b'{"messages": [1e999]}', "1e999 is too large for a number"),
        (b"[" * 100_000, "nested more than 100 levels deep"),
        (b"\x80\x81", "not UTF-8 at byte 0"),
        (
            line(timestamp="0001-01-01T00:00:00+14:00"),
            "timestamp: must be an RFC 3339 time with its zone, from 1900 to 9000",
        ),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_imported(imports: Imports, bad: bytes, said: str) -> None:
    assert imports(line(id=1), bad, line(id=2)) == "exit 1"
    assert imports.said == f"line 2: {said}\n"
    assert Episode.objects.count() == 2


def test_every_wrong_field_of_a_line_is_named(imports: Imports) -> None:
    imports(line(outcome="banana", messages=[user("a"), {"role": 5}]))
    assert imports.said == (
        "line 1: outcome: must be one of success, failure, partial\nline 1: messages[1].role: must be a text\n"
    )


def test_an_id_twice_in_one_file_with_other_messages_is_named(imports: Imports) -> None:
    assert imports(line(id="a"), line(id="a", messages=[user("else")])) == "exit 1"
    assert imports.said == "line 2: id: the id 'a' was stored before with other messages\n"


def test_what_is_odd_in_a_run_is_kept_and_flagged(imports: Imports) -> None:
    function = {"name": "search", "arguments": "{to: Rome}"}
    odd = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": function}]}
    assert imports(line(messages=[user("a"), odd, answer("x", "c9"), call("b", "c2")])).startswith("1 imported")
    flagged = Event.objects.exclude(flags=[]).values_list("kind", "flags")
    assert list(flagged) == [
        ("tool_call", ["bad_arguments", "unanswered_call"]),
        ("tool_result", ["orphan_result"]),
        ("tool_call", ["unanswered_call"]),
    ]


@pytest.mark.parametrize(
    ("content", "done"),
    [
        (b"", "0 imported, 0 updated, 0 skipped, 0 failed"),
        (b"\n\r\n \n", "0 imported, 0 updated, 0 skipped, 0 failed"),
        (b"\xef\xbb\xbf" + line(id=1) + b"\r\n" + line(id=2), "2 imported, 0 updated, 0 skipped, 0 failed"),
    ],
)
def test_blank_lines_and_a_byte_order_mark_do_no_harm(imports: Imports, content: bytes, done: str) -> None:
    assert imports(content) == done


def test_a_binary_file_is_named_line_by_line(imports: Imports) -> None:
    assert imports(bytes(range(255, 127, -1)) + b"\n\x00\x01") == "exit 1"
    assert imports.said.startswith("line 1: not UTF-8 at byte 0\nline 2: not JSON")


def test_a_huge_line_is_refused_without_being_read_whole(imports: Imports, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation_lines, "LONGEST_LINE", 1_000)
    assert imports(line(id=1), line(id=2, title="x" * 400, note="x" * 2_000), line(id=3)) == "exit 1"
    assert imports.said == "line 2: the line is larger than 21 MiB\n"
    assert set(Episode.objects.values_list("external_id", flat=True)) == {"1", "3"}


def test_a_pipe_is_a_file_too(imports: Imports) -> None:
    os.mkfifo(imports.path)
    Thread(target=imports.path.write_bytes, args=(line(id=1),)).start()
    out = StringIO()
    call_command("import_conversations", imports.path, stdout=out)
    assert out.getvalue().startswith("1 imported")


@pytest.mark.parametrize(("path", "said"), [("missing.jsonl", "No such file"), (".", "Is a directory")])
def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, path: str, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("import_conversations", tmp_path / path)


@pytest.mark.parametrize(
    ("options", "said"),
    [({"scope": "a b"}, "--scope: letters, digits"), ({"source": "s" * 600}, "--source: String should have at most")],
)
def test_a_wrong_option_is_said_once(imports: Imports, options: Any, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        imports(line(id=1), line(id=2), **options)
