"""The browser checks every page with axe: what is not a page is named as such."""

from django.urls import get_resolver

from tests.browser import every_page
from tests.memos_site.test_pages_trust import names


def test_every_url_is_a_page_that_is_checked_or_named_as_none() -> None:
    assert names(get_resolver().url_patterns) == every_page.PAGES | every_page.NO_PAGES
    assert not every_page.PAGES & every_page.NO_PAGES
