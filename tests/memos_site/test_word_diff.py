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
