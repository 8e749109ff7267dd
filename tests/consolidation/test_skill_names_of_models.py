"""Names and triggers that a language model gives to skills."""

from types import SimpleNamespace

import pytest

from consolidation.extraction import recall
from consolidation.extraction.skill_answers import DraftSkill


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
