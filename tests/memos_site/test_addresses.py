"""Addresses of the API: those without parameters are remembered, and lead where Django would lead them."""

import pytest
from django.urls import ResolverMatch, include, path

from memos_site.urls import Remembering, remembered

HERE = "api/v1/"
ADDRESSES = ["events", "conversations", "memories/merge", "skills/prompt", "skills/a", "memories/by-key/a/b", "", "no"]


@pytest.fixture
def resolver() -> Remembering:
    return remembered(HERE, "memos_site.api.urls")


def facts(match: ResolverMatch) -> tuple[object, ...]:
    return match.func, match.args, match.kwargs, match.url_name, match.route


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_leads_where_django_leads_it_each_time(resolver: Remembering, address: str) -> None:
    expected = path(HERE, include("memos_site.api.urls")).resolve(HERE + address)
    assert expected is not None
    for _ in range(2):
        assert facts(resolver.resolve(HERE + address)) == facts(expected)


def test_only_what_has_no_parameter_is_remembered(resolver: Remembering) -> None:
    again = {address: resolver.resolve(HERE + address) is resolver.resolve(HERE + address) for address in ADDRESSES}
    assert [address for address, is_same in again.items() if is_same] == [*ADDRESSES[:4], ""]
