"""Sentences of the rooms in the reader's language: what a decision was refused for, what a run ended with."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from memos_site.web.sentences import PLACEHOLDER, SENTENCES, sentence
from memos_site.web.words import in_words
from tests.test_house import ROOT

ROOMS = ("memories", "skills", "consolidation", "memos_site")
NOT_ON_PAGES = ("api", "management", "admin", "transfer", "episodes", "reports", "values", "revisions", "claims")
ASKING = ("permitted", "require_administrator", "people.require_administrator")  # the sentence is their last argument
OF_OPERATORS = {"consolidation/models/webhooks.py"}
TO_AGENTS = {
    *("memories/models/agent.py", "memories/lifecycle/salience.py", "memories/lifecycle/forgetting.py"),
    "memories/intake/traces/recording.py",
}


def refusals() -> Iterator[tuple[str, str]]:
    """What decisions of people are refused with: every Conflict that is raised below the pages."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if not set(path.relative_to(ROOT).parts) & set(NOT_ON_PAGES) and name not in TO_AGENTS | OF_OPERATORS:
                yield from ((name, text) for text in _conflicts(path))


def prohibitions() -> Iterator[tuple[str, str]]:
    """Why a person may not do something, as the pages raise it."""
    for path in sorted((ROOT / place / "web") for place in ROOMS):
        for module in sorted(path.rglob("*.py")):
            kinds = ("PermissionDenied", "NotAllowed", *ASKING)
            raised = _raised(_naming(module, *kinds), *kinds)
            yield from ((str(module.relative_to(ROOT)), text) for text in raised)


def _naming(path: Path, *names: str) -> ast.Module:
    """The module; an empty one where none of the names stands, which nobody need read."""
    text = path.read_text()
    return ast.parse(text if any(name in text for name in names) else "")


def _conflicts(path: Path) -> Iterator[str]:
    tree = _naming(path, "Conflict")
    yield from _raised(tree, "Conflict")
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and "Conflict" in map(ast.unparse, node.bases):
            texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Return)]
            yield from (str(text.value) for text in texts if isinstance(text, ast.Constant))


def _raised(tree: ast.Module, *kinds: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in kinds and node.args:
            said = node.args[-1]
            if isinstance(said, ast.Constant):
                yield str(said.value)
            elif isinstance(said, ast.JoinedStr):
                yield "".join(map(_filled, said.values))


def _filled(part: ast.expr) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    return " (dismiss by anna)" if "_last_decision" in ast.unparse(part) else "x1"


def test_every_refusal_of_a_decision_is_known_to_the_pages() -> None:
    with translation.override("zh-hans"):
        refused = list(refusals())
        unknown = [(where, text) for where, text in refused if sentence(text) == text and " " in text]
    assert len(refused) > 40
    assert unknown == []


def test_every_reason_why_a_person_may_not_is_known_to_the_pages() -> None:
    with translation.override("zh-hans"):
        prohibited = list(prohibitions())
        unknown = [(where, text) for where, text in prohibited if sentence(text) == text]
    assert len(prohibited) > 10
    assert unknown == []


@pytest.mark.parametrize("text", SENTENCES)
def test_a_sentence_keeps_what_it_is_about(text: str) -> None:
    values = {name: "candidate" if name in ("status", "standing") else f"Q{name}" for name in PLACEHOLDER.findall(text)}
    with translation.override("zh-hans"):
        shown = sentence(text % values)
        assert all(in_words(value) in shown for value in values.values())
        assert re.search(r"[\u4e00-\u9fff]", shown)


def test_the_status_and_the_verb_are_words_of_the_language() -> None:
    with translation.override("zh-hans"):
        shown = sentence("cannot promote a memory that is dismissed (dismiss by anna): it does not become confirmed")
    assert "已忽略" in shown
    assert "confirmed" not in shown
    assert "anna" in shown
    assert "dismiss" not in shown


def test_english_and_what_people_wrote_stay_as_they_are() -> None:
    said = "cannot promote a memory that is dismissed (dismiss by anna)"
    assert sentence(said) == said
    with translation.override("zh-hans"):
        assert sentence("it rained; we stayed") == "it rained; we stayed"


def test_why_a_step_failed_is_said_after_the_name_of_the_step() -> None:
    why = "facts: the language model did not answer within 60 seconds; part 3: the language model refused to answer"
    with translation.override("zh-hans"):
        assert sentence(why) == "事实：语言模型在 60 秒内没有应答；第 3 部分：语言模型拒绝回答"
        assert sentence("no instructions") == "没有指令"
        assert sentence("its worker ended before an answer was recorded") == "工作进程在记录应答之前就结束了"
        assert sentence("left out “a”: not proven; left out “b”: object not said") == (
            "未采用“a”：没有依据；未采用“b”：对话中没有说到内容"
        )
        assert sentence("a text of a person: with a colon") == "a text of a person: with a colon"
