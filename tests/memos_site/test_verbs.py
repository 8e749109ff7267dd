"""Each verb of review is made from its record: its states, API, bulk, words, keys and undo."""

import re
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import override

from memories.intake.edits import Edit
from memories.models import AuditEntry, Memory
from memories.values.choices import Status
from memories.values.exceptions import Conflict
from memos_site import review
from memos_site.platform.environment import BASE_DIR
from memos_site.review.verbs import OF_MANY, VERBS, Words
from memos_site.web import action_words
from memos_site.web.words import in_words
from tests.deciding import LATER, TRUST
from tests.make import caller, make_memory, make_person
from tests.memos_site.test_catalogues import UPDATE

pytestmark = pytest.mark.django_db
OF_SKILLS = {"reject", "retire"}  # their states are those of a version
OPTIONS: dict[str, dict[str, Any]] = {
    "promote": {"to": Status.APPLIED},
    "snooze": {"until": LATER + timedelta(days=1)},
    "edit": {"edit": Edit(content="Acme pays on net-60 terms")},
}


@pytest.mark.parametrize("name", sorted(VERBS.keys() - OF_SKILLS))
def test_a_verb_is_applied_in_the_states_of_its_record_alone_and_undone(name: str) -> None:
    for status in Status:
        memory = make_memory(f"Acme pays on net-{len(status)} terms", status=status)
        about: dict[str, Any] = {"at": LATER, "why": "noise", **OPTIONS.get(name, {})}
        if status not in VERBS[name].statuses:
            with pytest.raises(Conflict):
                review.decide(TRUST, memory.pk, name, **about)
            continue
        batch = review.decide(TRUST, memory.pk, name, **about).batch
        assert AuditEntry.objects.of_batch(batch).latest("at").action in VERBS[name].actions
        assert Memory.objects.get(pk=memory.pk).version == 2
        assert review.undo(TRUST, batch, at=LATER).undone == [memory.pk]
        stands = Memory.objects.get(pk=memory.pk)
        assert (stands.status, stands.content, stands.snoozed_until) == (status, memory.content, None)
        Memory.objects.all().delete()


@pytest.mark.parametrize("name", [verb.name for verb in OF_MANY])
def test_a_verb_has_an_address_of_its_own_and_decides_about_many(name: str) -> None:
    verb, judge = VERBS[name], caller(permissions=["read", "review"])
    status = next(one for one in (Status.APPLIED, Status.CANDIDATE, Status.CONTESTED) if one in verb.statuses)
    one, other = (make_memory(f"{which} pays late", status=status) for which in ("Acme", "Bolt"))
    answer = judge.post(f"/api/v1/memories/{one.pk}/{name}", verb.example, format="json")
    assert (answer.status_code, answer.json()["version"]) == (200, 2)
    many = judge.post("/api/v1/memories/bulk", {"action": name, "ids": [str(other.pk)], **verb.example}, format="json")
    assert many.json()["done"] == [str(other.pk)]


def test_to_unpin_is_told_as_a_variant_of_its_verb() -> None:
    memory = make_memory()
    for pinned, words in ((True, "pinned"), (False, "unpinned")):
        batch = review.decide(TRUST, memory.pk, "pin", at=LATER, pinned=pinned).batch
        assert action_words.entry_text(AuditEntry.objects.of_batch(batch).get()) == words


def test_every_word_of_a_verb_is_translated() -> None:
    with override("zh-hans"):
        for verb in VERBS.values():
            every: list[Words] = [verb.words, *verb.variants.values()]
            for text in [in_words(verb.name), *(text for words in every for text in texts_of(words)), str(verb.help)]:
                assert not text or any("\u4e00" <= letter <= "\u9fff" for letter in text), f"{text}: {UPDATE}"


def texts_of(words: Words) -> list[str]:
    return [str(text) for text in (words.done, words.by, words.label, words.toast, *words.many, words.tally)]


def test_no_key_presses_two_things() -> None:
    keys_of_pages = (BASE_DIR / "static/js/keys.js").read_text().partition("const KEYS = {")[2].partition("};")[0]
    taken = re.findall(r'^  "?([^\s":]+)"?: \(\) =>|^  "?(\S)"?: \w+,', keys_of_pages, re.MULTILINE)
    pressed = [key for verb in VERBS.values() for key in verb.keys]
    keys = Counter([*map("".join, taken), *"*gm123456", *pressed])
    assert [key for key, things in keys.items() if things > 1] == []


def test_what_the_key_of_a_verb_presses_is_in_the_inbox_and_on_the_page_of_a_memory(client: Client) -> None:
    client.force_login(make_person("anna"))
    memory = make_memory()
    pages = {
        "/": 'templates/inbox/_memory_actions.html lacks data-does="%s"',
        f"/memories/{memory.pk}/": 'templates/memories/_actions.html lacks data-does="%s"',
    }
    for address, message in pages.items():
        page = client.get(address).content.decode()
        for verb in VERBS.values():
            assert not verb.keys or f'data-does="{verb.name}"' in page, message % verb.name
            if address == "/" and verb.keys and verb.of_many:
                assert f'data-many="{verb.name}"' in page, f"templates/inbox/_bulk.html lacks {verb.name}"


def test_the_list_of_keys_and_the_menu_of_a_memory_show_the_verbs(client: Client) -> None:
    client.force_login(make_person("anna"))
    memory = make_memory(status="applied")
    page = client.get(f"/memories/{memory.pk}/").content.decode()
    for verb in VERBS.values():
        if verb.keys:
            assert f'data-presses="{verb.name}" data-keys="{" ".join(verb.keys)}"' in page
        for offer in verb.offers(memory, LATER):
            assert f'value="{offer.decision}"' in page
            assert str(offer.label) in page


def test_an_action_without_words_of_its_own_is_named_as_it_is() -> None:
    entry = make_memory().audit("replay", by=TRUST.actor, at=LATER)
    assert (action_words.entry_text(entry), action_words.done_by(entry, of_skill=False)) == (
        "replay",
        "anna changed this (replay)",
    )
