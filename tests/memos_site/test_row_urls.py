"""Addresses of rows in lists: those that `reverse` gives."""

from uuid import UUID

import pytest
from django.urls import reverse, set_script_prefix

from memos_site.web.fragments import row_url

ROWS = [UUID("0197f3a2-0000-7000-8000-000000000001"), UUID(int=0)]


@pytest.mark.parametrize("prefix", ["/", "/memos/"])
def test_each_row_has_the_address_of_its_name_also_below_a_prefix(prefix: str) -> None:
    try:
        for here in ("/elsewhere/", prefix):
            set_script_prefix(here)
            for name in ("memory", "pane", "edit", "decide", "merge", "proposal-pane", "decide-proposal"):
                for pk in ROWS:
                    assert row_url(name, pk) == reverse(name, args=[pk]), (here, name)
    finally:
        set_script_prefix("/")
