"""A trace that goes on after a silence: what was stored, or forgotten, does not come again with its next spans."""

from datetime import timedelta

import pytest
from django.utils import timezone

from memories import people
from memories.intake.episodes import close_silent
from memories.lifecycle import forget
from memories.models import Episode
from tests.make import caller, make_person
from tests.memories.test_traces import ANSWER, ASK, CALL, FIRST, REPLY, SECOND, send, told
from tests.memories.traced import chat, request, said, span

pytestmark = pytest.mark.django_db


def test_after_a_second_silence_nothing_of_a_trace_is_stored_again() -> None:
    client = caller()
    told_before, reply = [said("user", ASK), CALL, ANSWER, said("assistant", REPLY)], said("assistant", "Sorry.")
    for number, spans in enumerate([[span(1, FIRST)], [span(3, SECOND)], [span(4, chat(told_before, [reply]))]]):
        send(client, request(*spans))
        close_silent(at=timezone.now() + timedelta(hours=number + 1))
    send(client, request(span(3, SECOND)))
    assert [text for _, text, _ in told() if text] == [ASK, REPLY, "Sorry."]


def test_what_is_forgotten_of_a_trace_does_not_come_back_with_its_second_episode() -> None:
    client = caller()
    send(client, request(span(1, FIRST)))
    close_silent(at=timezone.now() + timedelta(hours=1))
    send(client, request(span(3, SECOND)))
    forget(Episode.objects.order_by("pk")[0].memory, trust=people.trust_of(make_person()), at=timezone.now())
    send(client, request(span(3, SECOND)))
    assert ASK not in [text for _, text, _ in told()]
