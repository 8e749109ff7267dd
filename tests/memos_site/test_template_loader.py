"""Indentation and lines of control tags do not reach the reader; what is shown keeps the space around it."""

from memos_site.platform.template_loader import compact


def test_indentation_and_the_ends_of_control_lines_are_left_out() -> None:
    source = "<p>\n  {% if a %}\n    {{ a }}\n  {% endif %}\n</p>\n"
    assert compact(source) == "<p>\n{% if a %}{{ a }}\n{% endif %}</p>"


def test_what_may_be_shown_keeps_its_line() -> None:
    for line in ("{{ a }}\n", "{% translate 'A' %}\n", "{% if a %}, {% endif %}\n", "{% include 'a.html' %}\n"):
        assert compact(line + "end") == line + "end"
