from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from skills.manifest import Fields, Step, TrackRecord
from skills.packaging.skill_md_reader import read
from skills.packaging.skill_md_writer import skill_md
from tests.skills.generated import FIELDS, TEXTS, patiently

LINE_BY_LINE = "the frontmatter is not valid YAML, or too long or deep; it was read line by line"
HEAD = "---\nname: plan-trip\ndescription: Plans a trip\n---\n"


def fields_of(body: str, **files: Any) -> Fields:
    return read(HEAD + body, **files)[0]


@patiently
@given(FIELDS)
def test_reading_is_the_inverse_of_writing(fields: Fields) -> None:
    files = {"scripts": fields.scripts, "others": fields.others, "assets": fields.assets, "recipe": fields.recipe}
    assert read(skill_md(fields, 9), folder=fields.name, **files) == (fields, [])


@patiently
@given(st.lists(TEXTS, max_size=8))
def test_what_was_once_read_is_stable(parts: list[str]) -> None:
    """A foreign text may change its form when it comes in, but not again on its next way out and in."""
    once = fields_of("\n\n".join(parts))
    assert read(skill_md(once, 1))[0] == once


@patiently
@given(TEXTS, TEXTS)
def test_any_text_is_read_or_refused_for_its_fields(head: str, body: str) -> None:
    try:
        fields, _ = read(f"---\n{head}\n---\n{body}")
    except ValidationError:
        return
    assert fields.name


def test_sections_that_have_no_field_join_the_procedure_with_their_headings() -> None:
    fields = fields_of("# Trips\n\nAn overview.\n\n## Examples\n\nBook Paris\n\n## Guidelines\n\nBe kind\n")
    assert fields.procedure == "An overview.\n\n## Guidelines\n\nBe kind"
    assert fields.examples == ["Book Paris"]
    assert fields.title == "Trips"


def test_a_heading_in_a_code_block_is_code() -> None:
    fields = fields_of("Write:\n\n```\n## Examples\n```\n")
    assert (fields.procedure, fields.examples) == ("Write:\n\n```\n## Examples\n```", [])


@pytest.mark.parametrize(
    ("section", "left"),
    [
        ("## Scripts\n\nRun them daily.", "### Scripts\n\nRun them daily."),
        ("## Track Record\n\nIt mostly works.", "### Track Record\n\nIt mostly works."),
        ("## Additional Information\n\nAsk Ann.", "### Additional Information\n\nAsk Ann."),
    ],
)
def test_what_others_wrote_where_we_derive_is_kept_in_the_procedure(section: str, left: str) -> None:
    assert fields_of(f"## Procedure\n\nGo\n\n{section}\n").procedure == f"Go\n\n{left}"


def test_lists_are_read_with_every_marker_and_without() -> None:
    fields = fields_of(
        "## Experience\n\n* one\n  more\n* two\n\n## Fallbacks\n\nFirst.\n\nSecond.\n\n## failure modes\n\n1) a"
    )
    assert fields.experience == ["one\nmore", "two"]
    assert fields.fallbacks == ["First.", "Second."]
    assert fields.failure_modes == ["a"]


def test_examples_under_headings_of_their_own_are_several() -> None:
    fields = fields_of("## Examples\n\n### Paris\n\nBook it\n\n### Rome\n\nLeave it\n")
    assert fields.examples == ["### Paris\n\nBook it", "### Rome\n\nLeave it"]


def test_a_track_record_is_read_as_numbers() -> None:
    text = "## Track Record\n\n- Successes: 9\n- Failures: 3\n- Success rate: 75 %\n- Last run: 2026-05-05\n"
    assert fields_of(text).performance == TrackRecord(successes=9, failures=3, until="2026-05-05")


def test_an_edited_heading_is_the_new_title() -> None:
    written = skill_md(Fields(name="plan-trip", title="Plan Trip", description="b"), 1)
    assert read(written.replace("# Plan Trip", "# Plan a Trip"))[0].title == "Plan a Trip"


def test_a_list_of_files_that_is_out_of_date_is_written_anew() -> None:
    written = skill_md(Fields(name="a", description="b", scripts={"a.py": "# One\n"}), 1)
    fields, _ = read(written, scripts={"a.py": "# One\n", "b.py": "# Two\n"})
    assert fields.procedure == ""


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("---\nname: a\ndescription: b: c\n---\n", LINE_BY_LINE),
        (f"---\nname: a\ndescription: {'[' * 21}b{']' * 21}\n---\n", LINE_BY_LINE),
        (f"---\nname: a\ndescription: b\nnote: {'x' * 20_000}\n---\n", LINE_BY_LINE),
        ("---\nname: a\ndescription: b\nhooks: Bash\n---\n", "hooks: not kept"),
        ("---\nname: a\ndescription: b\nmetadata:\n  author: [x]\n---\n", "metadata.author: not kept"),
        ("---\nname: a\ndescription: [b]\n---\nGo\n", "description: not kept"),
        (f"---\nname: a\ndescription: {'b' * 1025}\n---\n", "description: cut to 1024 characters"),
        (f"---\nname: a\ndescription: b\ncompatibility: {'c' * 501}\n---\n", "compatibility: cut to 500 characters"),
        ("---\nname: A b\ndescription: b\n---\n", "the name 'A b' became 'a-b'"),
        ("# Trips\n\nPlans a trip\n", "SKILL.md has no frontmatter"),
        ("---\nname: a\n---\nGo\n", "SKILL.md has no description; its first paragraph stands in for one"),
    ],
)
def test_what_is_put_right_is_told(text: str, warning: str) -> None:
    assert warning in read(text)[1]


def test_a_folder_of_another_name_is_a_warning() -> None:
    assert read(HEAD, folder="trips")[1] == ["the folder 'trips' does not have the name of the skill, 'plan-trip'"]


def test_a_skill_without_frontmatter_is_named_after_its_folder_and_told_by_its_first_paragraph() -> None:
    fields, _ = read("# Trips\n\nPlans a\ntrip.\n\nThen more.\n", folder="trips")
    assert (fields.name, fields.title, fields.description) == ("trips", "Trips", "Plans a trip.")


def test_a_colon_in_a_broken_frontmatter_stays_in_the_description() -> None:
    assert read("---\nname: a\ndescription: Use when: asked\n---\n")[0].description == "Use when: asked"


def test_what_is_quoted_or_folded_in_a_broken_frontmatter_is_read_as_yaml() -> None:
    text = '---\nname: "a"\ndescription: >-\n  Reads files\n  and forms.\nargument-hint: [file] [mode]\n# of ours\n'
    fields, warnings = read(f"{text}user_hint: x: y\nmetadata:\n  author: 'Ann'\n---\nGo\n")
    assert (fields.name, fields.description, fields.metadata) == ("a", "Reads files and forms.", {"author": "Ann"})
    assert warnings == [LINE_BY_LINE, "argument-hint: not kept", "user_hint: not kept"]


def test_a_frontmatter_ends_at_a_line_of_three_hyphens_and_not_at_a_line_that_ends_in_them() -> None:
    fields, warnings = read(
        "---\nname: a\n# ---- about ----\ndescription: Reads --- files ---\nlicense: MIT\n---\nGo\n"
    )
    assert (fields.description, fields.license, fields.procedure) == ("Reads — files —", "MIT", "Go")
    assert warnings == []


@pytest.mark.parametrize(
    "body", ["...\n# Trip\n\nBook it.", "\n# Trip\n\nBook it.", "# Trip\n\nBook it.\n\n---\n\nPay it."]
)
def test_a_frontmatter_may_be_closed_by_dots_or_by_nothing(body: str) -> None:
    fields, _ = read(f"---\nname: plan-trip\ndescription: Plans\n  a trip\nlicense: MIT\n{body}")
    assert (fields.description, fields.license, fields.title) == ("Plans a trip", "MIT", "Trip")
    assert fields.procedure.startswith("Book it.") and fields.procedure.endswith("it.")


def test_null_is_no_licence() -> None:
    fields, warnings = read(
        '---\nname: a\ndescription: b\nlicense: null\ncompatibility: ~\nallowed-tools: "null"\n---\n'
    )
    assert (fields.license, fields.compatibility, fields.allowed_tools, warnings) == ("", "", "null", [])


def test_every_key_of_the_specification_survives() -> None:
    head = "---\nname: a\ndescription: b\nlicense: MIT\ncompatibility: Needs git\nallowed-tools: Bash Read\n"
    again = read(skill_md(read(f"{head}metadata:\n  author: Ann\n  version: '7'\n---\n")[0], 1))[0]
    assert (again.license, again.compatibility, again.allowed_tools) == ("MIT", "Needs git", "Bash Read")
    assert again.metadata == {"author": "Ann"}


def test_allowed_tools_may_be_a_list() -> None:
    fields, warnings = read("---\nname: a\ndescription: b\nallowed-tools:\n  - Bash(git:*)\n  - Read\n---\nGo\n")
    assert (fields.allowed_tools, warnings) == ("Bash(git:*) Read", [])


def test_files_become_fields() -> None:
    fields = fields_of("", scripts={"a.py": "1"}, recipe=[Step(step="Ask")])
    assert (fields.scripts, fields.recipe) == ({"a.py": "1"}, [Step(step="Ask")])


def test_a_byte_order_mark_and_foreign_line_ends_are_no_obstacle() -> None:
    text = "\ufeff" + (HEAD + "## Procedure\n\nGo\n").replace("\n", "\r\n")
    assert read(text) == (Fields(name="plan-trip", description="Plans a trip", procedure="Go"), [])


@pytest.mark.parametrize("yaml", ["&a [*a]", "[" * 3000, "!!python/object/apply:os.system [ls]", "? : ? :", "\t"])
def test_hostile_yaml_is_only_text(yaml: str) -> None:
    fields, warnings = read(f"---\nname: a\ndescription: b\nx: {yaml}\n---\n")
    assert (fields.name, fields.description) == ("a", "b")
    assert warnings
