"""The comparison of two texts as a page shows it."""

import re

import pytest

from memos_site.templatetags.decisions import word_diff


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Run `npm test` first", "Run `npm test` last", "Run <code>npm test</code> -first +last"),
        ("Run `npm test` first", "Run `npm run` first", "Run <code>npm -test +run</code> first"),
        ("Run it", "Run `npm test`", "Run -it +<code>npm test</code>"),
        ("Call `a <b>`", "Call `a <b>`", "Call <code>a &lt;b&gt;</code>"),
    ],
)
def test_code_in_a_diff_is_shown_as_code(before: str, after: str, expected: str) -> None:
    shown = re.sub(r'<span class="unseen">[^<]*</span>', "", word_diff(before, after))
    assert shown.replace("<del>", "-").replace("</del>", " ").replace("<ins>", "+").replace("</ins>", "") == expected


def test_a_row_cuts_long_changes_and_their_number_and_a_page_says_where_a_text_goes_on() -> None:
    long = "Parcels leave at noon. " * 100
    row, page = (word_diff("Ask first", long, for_a_row=row) for row in (True, False))
    assert "<del>" in row and len(row) < 400 and row.endswith(" … </ins>")
    assert len(page) > 2_000
    evens, odds = (" ".join(f"{n} {word}" for n in range(40)) for word in ("early", "late"))
    assert word_diff(evens, odds).count("<ins>") == 40
    assert word_diff(evens, odds, for_a_row=True).count("<ins>") < 5
    assert word_diff("Ask first " * 450, "Ask last " * 450).endswith(" …")
