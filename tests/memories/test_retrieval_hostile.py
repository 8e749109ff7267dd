"""Whatever is asked is answered: no text is an error, and none is read as an operator."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.memories.searched import find, known, talk

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "query",
    [
        'O\'Reilly & Sons | !x :* <-> (a) \\ "quoted" -minus',
        "'; DROP TABLE memories_memory; --",
        "%s %(x)s %%",
        "the of and",
        "😀 🎉",
        "\t\n",
        "a" * 10_000,
        " ".join(f"word{n}" for n in range(1_500)),
        "日本語 と english mixed 中文",
        "\ud7ff \uffff \u202e",
        "{}[]:,",
        "''''''",
        "\\\\\\'\\",
    ],
)
def test_whatever_is_asked_is_answered(query: str) -> None:
    known("Acme pays on net-30 terms")
    talk("Anna: hello", "Ben: bye")
    assert find(query, unit="passage").degraded == ()
    assert find(query).degraded == ()


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=200))
def test_no_text_is_an_error(query: str) -> None:
    known(query.strip() or "nothing")
    found = find(query, unit="passage")
    assert all(0 <= result.score <= 1.3 + 1e-9 for result in found.results if query.strip())
