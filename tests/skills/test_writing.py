from typing import Any

import pytest
import yaml
from hypothesis import given

from skills import markdown
from skills.manifest import Fields, Step, TrackRecord
from skills.packaging import skill_md_writer
from skills.packaging.frontmatter import split
from skills.packaging.skill_md_writer import differs_beyond_track_record, skill_md
from tests.skills.generated import FIELDS, patiently


def make_fields(**given_fields: Any) -> Fields:
    return Fields.model_validate({"name": "plan-trip", "description": "Plans a trip"} | given_fields)


def body(**given_fields: Any) -> str:
    return split(skill_md(make_fields(**given_fields), 1))[1]


def test_a_skill_of_two_lines_has_no_empty_section() -> None:
    assert skill_md(make_fields(), 3) == (
        "---\n"
        "name: plan-trip\n"
        "description: Plans a trip\n"
        "metadata:\n"
        '  version: "3"\n'
        "  source: memos\n"
        "  display-name: Plan Trip\n"
        "---\n"
        "# Plan Trip\n"
    )


@patiently
@given(FIELDS)
def test_a_section_stands_exactly_where_there_is_content_whatever_it_is(fields: Fields) -> None:
    text = split(skill_md(fields, 1))[1]
    titles = [title for _, level, title in markdown.headings(text, 2) if level == 2 and markdown.known_section(title)]
    assert titles == [title for title, content in skill_md_writer.sections(fields).items() if content]


@patiently
@given(FIELDS)
def test_every_yaml_reader_finds_the_same_texts(fields: Fields) -> None:
    loaded = yaml.safe_load(split(skill_md(fields, 12))[0])
    assert loaded["description"] == fields.description
    assert loaded["metadata"] == {"version": "12", "source": "memos", "display-name": fields.title, **fields.metadata}


def test_a_description_stands_in_one_line_as_it_was_written() -> None:
    description = "规划旅行：" + "each day with its route, its stay and its costs " * 10 + "🧭"
    assert f"\ndescription: {description}\n" in skill_md(make_fields(description=description), 1)


def test_a_heading_in_an_item_of_dashes_stays_in_the_item() -> None:
    assert [title for _, _, title in markdown.headings(body(preference=["- -\n\n## Notes"]), 2)] == [
        "Plan Trip",
        "User Preferences",
    ]


def test_what_goes_wrong_stands_right_after_what_to_do() -> None:
    text = body(procedure="Go", failure_modes=["f"], fallbacks=["g"], experience=["e"], examples=["x"], trigger=["t"])
    order = ["Trigger", "Procedure", "Failure Modes", "Fallbacks", "Experience", "Examples"]
    assert [title for _, level, title in markdown.headings(text, 2) if level == 2] == order


def test_a_heading_inside_a_text_does_not_become_a_section() -> None:
    assert "\n\\## Examples\n" in body(procedure="See\n## Examples\nbelow")


def test_an_example_is_fenced_longer_than_any_fence_inside() -> None:
    assert "`````markdown\n````\n```\n````\n`````" in body(examples=["````\n```\n````"])


def test_lines_of_an_item_stay_beneath_it() -> None:
    assert "1. First\n\n   more\n2. Second" in body(experience=["First\n\nmore", "Second"])


@pytest.mark.parametrize(
    ("terms", "text"),
    [
        (["travel", "trip"], "travel, trip"),
        (["Paris, France", "trip"], "- Paris, France\n- trip"),
        (["1. step"], "- 1. step"),
        (["# x"], "- # x"),
    ],
)
def test_triggers_are_one_line_where_that_is_unmistakable(terms: list[str], text: str) -> None:
    assert f"## Trigger\n\n{text}\n" in body(trigger=terms)


def test_a_script_is_listed_with_what_it_says_of_itself() -> None:
    scripts = {"a.py": '"""Adds up costs."""\n', "b.sh": "#!/bin/sh\n# Cleans up\n", "c.js": "let x = 1\n"}
    assert "- `scripts/a.py`: Adds up costs.\n- `scripts/b.sh`: Cleans up\n- `scripts/c.js`\n" in body(scripts=scripts)


def test_a_document_is_linked_with_its_heading() -> None:
    assert "See also:\n\n- [advice.md](reference/advice.md): Good advice\n" in body(
        others={"advice.md": "# Good advice\n"}
    )


def test_a_recipe_is_linked_for_programs() -> None:
    assert "[recipe.json](recipe.json)" in body(recipe=[Step(step="Ask")])


def test_a_short_track_record_has_no_percentage() -> None:
    text = body(performance=TrackRecord(successes=8, failures=1, partials=5, since="2026-03-01"))
    assert text.endswith("## Track Record\n\n- Successes: 8\n- Failures: 1\n- Partial: 5\n- Since: 2026-03-01\n")


def test_a_long_track_record_has_a_rate_that_is_not_rounded_up() -> None:
    assert "- Success rate: 99 %\n" in body(performance=TrackRecord(successes=399, failures=1))


@pytest.mark.parametrize(
    ("changes", "beyond"),
    [
        ({"performance": TrackRecord(successes=5)}, False),
        ({"recipe": [Step(step="Ask", share=0.5)]}, False),
        ({"procedure": "Book"}, True),
        ({"scripts": {"a.py": "2"}}, True),
        ({"others": {"a.md": "x"}}, True),
    ],
)
def test_numbers_alone_are_nothing_new(changes: dict[str, Any], beyond: bool) -> None:
    before = make_fields(procedure="Ask", scripts={"a.py": "1"}, recipe=[Step(step="Ask")])
    after = Fields.model_validate(before.model_dump() | changes)
    assert differs_beyond_track_record(before, after) is beyond
