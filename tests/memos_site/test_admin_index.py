"""The index of the admin: what is where, and every model once."""

import re

import pytest
from django.contrib import admin

from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def test_the_index_says_what_is_where_and_leads_to_every_model_once() -> None:
    page = signed_in("ada", group="administrator").get("/admin/").content.decode()
    shown = page[page.index('class="places"') :]
    links = re.findall(r'href="(/admin/\w+/\w+/)"', shown)
    models = {f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry}
    assert sorted(links) == sorted(models)
    assert "who did what, when and why" in shown and ">Memos<" in re.sub(r"\s+", "", page[: page.index("places")])
    unexplained = re.findall(r'<a class="text-link" href="[^"]+">([^<]+)</a>\s*</li>', shown)
    assert unexplained == []
    for word in ("Who may do what", "Webhooks", "Jobs"):
        assert word in shown
