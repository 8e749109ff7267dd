"""Names, triggers and programs that a language model gives to skills."""

from types import SimpleNamespace
from typing import Any

import pytest

from consolidation.extraction import recall
from consolidation.extraction.skill_answers import DraftSkill
from skills.models import SkillVersion
from tests.consolidation.test_conversation_skills import process, script, talk
from tests.model_endpoint import ModelEndpoint


@pytest.mark.parametrize(
    ("said", "name", "title"),
    [
        ("旅行计划", "lv-xing-ji-hua", "旅行计划"),
        ("退款 order", "tui-kuan-order", "退款 order"),
        ("travel-planning", "travel-planning", "Travel Planning"),
    ],
)
def test_a_chinese_name_is_written_in_pinyin_as_that_of_a_learned_skill(said: str, name: str, title: str) -> None:
    fields = DraftSkill.model_validate({"name": said, "description": "计划旅行"}).fields
    assert (fields.name, fields.title) == (name, title)


@pytest.mark.parametrize(("terms", "alike"), [(["refund", "return"], True), (["refund", "return", "exchange"], False)])
def test_half_of_the_trigger_terms_of_the_one_that_has_fewer_are_enough(terms: list[str], alike: bool) -> None:
    fields = (SimpleNamespace(trigger=named) for named in (terms, ["Refund", "chargeback", "dispute"]))
    one, other = [SimpleNamespace(fields=each) for each in fields]
    assert recall._are_asked_alike(one, other) == alike  # type: ignore[arg-type]  # all that is read of them


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("scripts", "kept", "why"),
    [
        ([{"file": "a.py", "code": "1"}], 0, "scripts: Input should be a valid dictionary"),
        ({"a.py": "1", "A.py": "2"}, 1, "A.py: another file has this name"),
        ({f"{n}.py": "1" for n in range(300)}, 5, "scripts: 295 files more than 5"),
    ],
)
def test_programs_that_cannot_be_kept_take_no_skill_with_them(
    endpoint: ModelEndpoint, scripts: Any, kept: int, why: str
) -> None:
    script(endpoint, script_generation=[{"scripts": scripts}] * 2)
    process(talk())
    version = SkillVersion.objects.get()
    assert len(version.fields["scripts"] or {}) == kept
    assert why in version.changelog
