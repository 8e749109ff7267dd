"""Webhooks: what they are told, how it is signed, tried again, refused and replayed."""

import hashlib
import hmac
import json
import socket
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from consolidation.models import Pattern, Redundancy, Run, Webhook, WebhookDelivery
from consolidation.models.commands import CommandAttempt, CommandFact
from consolidation.models.webhooks import BACK_OFF, WebhookEvent
from consolidation.webhooks import outbox, sending
from memories.values.choices import Permission, Sensitivity
from memories.values.trust import SYSTEM
from tests.consolidation.webhook_server import Receiver, happen, hook, waiting
from tests.make import caller, make_memory
from tests.memories.storing import store as store_claim
from tests.pages import signed_in

pytestmark = pytest.mark.django_db


def test_each_event_is_told_once_to_each_webhook_without_a_word_of_content() -> None:
    every, one = hook(), hook(events=["run_failed"])
    happen()
    for _ in range(2):
        outbox.collect(at=timezone.now())
    told = WebhookDelivery.objects.filter(webhook=every)
    assert sorted(told.values_list("event", flat=True)) == sorted(WebhookEvent.values)
    assert WebhookDelivery.objects.get(webhook=one).event == "run_failed"
    bodies = [json.loads(body) for body in told.values_list("body", flat=True)]
    assert all(set(body) == {"id", "event", "at", "data"} for body in bodies)
    assert "net-30" not in "".join(told.values_list("body", flat=True))
    by_event = {body["event"]: body["data"] for body in bodies}
    assert by_event["skill_published"]["name"] == "book-flight"
    assert by_event["run_failed"]["kind"] == "consolidate"
    assert by_event["skill_harms"]["why"] == "2 of 9 uses ended well"


def test_a_run_that_was_tried_again_and_fails_again_is_told_again() -> None:
    row = hook(events=["run_failed"])
    run = Run.objects.create(
        kind="consolidate", trigger="api", status="failed", finished_at=timezone.now(), error="One"
    )
    outbox.collect(at=timezone.now())
    for error in ("Two", "Three"):
        run.retry(by=SYSTEM, at=timezone.now())
        run.begin(at=timezone.now())
        outbox.collect(at=timezone.now())
        run.fail(error, at=timezone.now())
        for _ in range(2):
            outbox.collect(at=timezone.now())
    told = [json.loads(body)["data"] for body in row.deliveries.order_by("pk").values_list("body", flat=True)]
    assert [(data["run_id"], data["error"]) for data in told] == [(str(run.pk), e) for e in ("One", "Two", "Three")]


def test_a_failure_is_told_also_where_the_run_was_tried_again_before_anybody_was_told() -> None:
    row = hook(events=["run_failed"])
    run = Run.objects.create(kind="consolidate", trigger="api", status="failed", finished_at=timezone.now(), error="1")
    for error in ("2", "3"):
        run.retry(by=SYSTEM, at=timezone.now())
        run.begin(at=timezone.now())
        run.fail(error, at=timezone.now())
    for _ in range(2):
        outbox.collect(at=timezone.now())
    told = [json.loads(body)["data"]["error"] for body in row.deliveries.values_list("body", flat=True)]
    assert sorted(told) == ["1", "2", "3"]


def test_what_was_before_a_webhook_is_not_for_it() -> None:
    outbox.collect(at=timezone.now())
    happen()
    hook(created_at=timezone.now() + timedelta(seconds=1))
    outbox.collect(at=timezone.now())
    assert not WebhookDelivery.objects.exists()


def test_a_webhook_is_told_of_nothing_above_its_clearance_or_outside_of_its_scopes() -> None:
    low, scoped = hook(clearance=Sensitivity.LOW), hook(scopes=["project:a"])
    now = timezone.now()
    store_claim("One", key="a", at=now, sensitivity="high")
    store_claim("Two", key="b", at=now, scope="project:b")
    store_claim("Three", key="c", at=now, scope="project:a")
    outbox.collect(at=now)
    scopes = [sorted(one.deliveries.values_list("scope", flat=True)) for one in (low, scoped)]
    assert scopes == [["project:a", "project:b"], ["project:a"]]


def test_what_no_longer_waits_is_no_candidate() -> None:
    hook(events=["candidate_created"])
    store_claim("Sure", key="a", confidence=90, at=timezone.now())
    outbox.collect(at=timezone.now())
    assert not WebhookDelivery.objects.exists()


def test_what_is_only_kept_and_that_nobody_is_asked_about_is_no_candidate() -> None:
    hook(events=["candidate_created"])
    stored = store_claim("Acme pays on net-30 terms", at=timezone.now())
    assert stored.memory is not None
    Redundancy.objects.create(memory=stored.memory, why=Redundancy.Why.COUNTED, at=timezone.now())
    outbox.collect(at=timezone.now())
    assert not WebhookDelivery.objects.exists()


def skill_only_kept() -> Pattern:
    now, memory = timezone.now(), make_memory("open-ticket", type="competence", status="candidate")
    seen: Any = {"signature_sha256": bytes(32), "sensitivity": 1, "first_seen_at": now, "last_seen_at": now}
    return Pattern.objects.create(memory=memory, waits=False, **seen)


def fact_only_kept() -> CommandFact:
    now, memory = timezone.now(), make_memory("tests", category="fact", status="candidate")
    fact = CommandFact.objects.create(memory=memory, sensitivity=1, purpose="tests", waits=False)
    CommandAttempt.objects.create(fact=fact, form="pytest", started=False, episode_id=uuid4(), case=uuid4(), at=now)
    return fact


@pytest.mark.parametrize("make", [skill_only_kept, fact_only_kept])
def test_what_is_worth_a_decision_only_later_is_told_then_and_once(make: Callable[[], Pattern | CommandFact]) -> None:
    hook(events=["candidate_created"])
    kept = make()
    outbox.collect(at=timezone.now())
    assert not WebhookDelivery.objects.exists()
    type(kept).objects.update(waits=True)
    for _ in range(2):
        outbox.collect(at=timezone.now())
    assert WebhookDelivery.objects.get().subject == kept.memory_id


def test_a_candidate_is_told_of_also_after_the_clock_was_set_back() -> None:
    outbox.collect(at=timezone.now() + timedelta(hours=2))
    hook(events=["candidate_created"])
    stored = store_claim("Acme pays on net-30 terms", at=timezone.now())
    assert stored.memory is not None
    outbox.collect(at=timezone.now())
    assert WebhookDelivery.objects.get().subject == stored.memory.pk


def test_a_message_is_signed_over_its_moment_and_body(receiver: Receiver) -> None:
    row = hook(receiver.url, events=["run_failed"])
    happen()
    outbox.collect(at=timezone.now())
    assert outbox.send_due() == 1
    [(headers, body)] = receiver.received
    parts = dict(part.split("=") for part in headers["x-memos-signature"].split(","))
    expected = hmac.new(row.secret.encode(), f"{parts['t']}.".encode() + body, hashlib.sha256).hexdigest()
    assert parts["v1"] == expected
    delivery = WebhookDelivery.objects.get()
    assert (headers["x-memos-event"], headers["x-memos-delivery"]) == ("run_failed", str(delivery.pk))
    assert body.decode() == delivery.body
    assert (delivery.status, delivery.answered, delivery.attempts, delivery.error) == ("delivered", 204, 1, "")
    assert outbox.send_due() == 0


def test_a_failed_try_is_made_again_later_and_later_and_then_no_more(receiver: Receiver) -> None:
    delivery, now = waiting(receiver.url), timezone.now() + timedelta(seconds=1)
    receiver.answers = [500] * 20
    for pause in BACK_OFF:
        assert outbox.send_due(now=lambda moment=now: moment) == 1  # type: ignore[misc]
        delivery.refresh_from_db()
        assert (delivery.status, delivery.answered, delivery.next_at) == ("waiting", 500, now + pause)
        before = now + pause - timedelta(seconds=1)
        assert outbox.send_due(now=lambda moment=before: moment) == 0  # type: ignore[misc]
        now += pause
    outbox.send_due(now=lambda: now)
    delivery.refresh_from_db()
    assert (delivery.status, delivery.error) == ("failed", "answered 500")
    assert len(receiver.received) == len(BACK_OFF) + 1
    assert len({body for _, body in receiver.received}) == 1


def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    delivery = waiting(receiver.url)
    receiver.answers = [302]
    outbox.send_due()
    delivery.refresh_from_db()
    assert (delivery.answered, delivery.error) == (302, "answered with a redirect, which is not followed")
    assert len(receiver.received) == 1


def test_who_answers_byte_by_byte_is_left_at_the_deadline(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "SECONDS", 0.5)
    delivery, receiver.slow = waiting(receiver.url), True
    outbox.send_due()
    delivery.refresh_from_db()
    assert delivery.error == "no answer within 0.5 seconds"


def test_nobody_there_is_told_and_tried_again(settings: Any) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with socket.socket() as taken:  # bound, and not listening
        taken.bind(("127.0.0.1", 0))
        delivery = waiting(f"http://127.0.0.1:{taken.getsockname()[1]}/")
        outbox.send_due()
    delivery.refresh_from_db()
    assert (delivery.status, delivery.error) == ("waiting", "cannot be reached: ConnectError")


def test_what_was_sent_is_seen_and_sent_again_by_reviewers_within_their_trust(receiver: Receiver) -> None:
    delivery = waiting(receiver.url)
    outbox.send_due()
    client = caller(permissions=Permission.values)
    [seen] = client.get("/api/v1/webhooks/deliveries?status=delivered").json()["results"]
    assert (seen["id"], seen["answered"]) == (str(delivery.pk), 204)
    again = client.post(f"/api/v1/webhooks/deliveries/{delivery.pk}/replay", {}, format="json")
    assert (again.status_code, again.json()["status"], again.json()["attempts"]) == (200, "waiting", 0)
    assert client.post(f"/api/v1/webhooks/deliveries/{delivery.pk}/replay", {}, format="json").status_code == 409
    assert outbox.send_due() == 1
    first, second = receiver.received
    assert first[1] == second[1]
    assert caller().get("/api/v1/webhooks/deliveries").status_code == 403
    low = caller(permissions=Permission.values, clearance=Sensitivity.PUBLIC)
    assert low.get("/api/v1/webhooks/deliveries").json()["results"] == []
    assert low.post(f"/api/v1/webhooks/deliveries/{delivery.pk}/replay", {}, format="json").status_code == 404


def test_who_answers_slowly_keeps_no_message_to_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, prompt = hook("https://slow.example.com/"), hook("https://prompt.example.com/")
    start = timezone.now()
    for n, row in enumerate([slow, slow, slow, prompt]):
        facts = {"event": "run_failed", "subject": uuid4(), "body": "{}", "sensitivity": 1}
        WebhookDelivery.objects.create(webhook=row, next_at=start + timedelta(milliseconds=n), **facts)
    sent, clock = [], [start + timedelta(seconds=1)]

    def post(url: str, *_args: object, **_facts: object) -> sending.Answer:
        sent.append(url)
        clock[0] += timedelta(seconds=9 if "slow" in url else 0)
        return sending.Answer(204)

    monkeypatch.setattr(sending, "post", post)
    assert outbox.send_due(now=lambda: clock[0]) == 4
    assert sent == [slow.url, prompt.url, slow.url, slow.url]


def test_a_secret_is_shown_once_and_a_webhook_is_made_by_administrators_only() -> None:
    admin = signed_in("root", group="administrator")
    fields = {"name": "chat", "url": "https://hooks.example.com/x", "events": ["run_failed"], "clearance": 1}
    made = admin.post("/admin/consolidation/webhook/add/", fields)
    row = Webhook.objects.get()
    assert row.secret in made.content.decode()
    for address in ("/admin/consolidation/webhook/", f"/admin/consolidation/webhook/{row.pk}/change/"):
        assert row.secret not in admin.get(address).content.decode()
    listed = caller(permissions=Permission.values).get("/api/v1/webhooks")
    assert listed.json()["results"][0]["url"] == "https://hooks.example.com/x"
    assert row.secret not in listed.content.decode()
    ben = signed_in("ben", group="reviewer")
    assert ben.post("/admin/consolidation/webhook/add/", fields).status_code in (302, 403)
    assert Webhook.objects.count() == 1


def test_a_webhook_that_was_stopped_is_told_nothing_more(receiver: Receiver) -> None:
    delivery = waiting(receiver.url)
    delivery.webhook.stop(by=SYSTEM, at=timezone.now())
    make_memory("later")
    outbox.collect(at=timezone.now())
    assert outbox.send_due() == 0
    delivery.refresh_from_db()
    assert delivery.status == "failed"


@pytest.mark.parametrize(("error", "status"), [("answered 503", "failed"), ("", "delivered")])
def test_a_try_that_was_under_way_when_its_webhook_was_stopped_is_the_last_one(error: str, status: str) -> None:
    waiting("https://hooks.example.com/x")
    taken = WebhookDelivery.take(timezone.now())
    assert taken is not None
    taken.webhook.stop(by=SYSTEM, at=timezone.now())
    taken.record(answered=503 if error else 204, error=error, at=timezone.now())
    taken.refresh_from_db()
    assert taken.status == status


def test_two_workers_do_not_send_one_message_both(receiver: Receiver) -> None:
    waiting(receiver.url)
    now = timezone.now()
    assert WebhookDelivery.take(now) is not None
    assert WebhookDelivery.take(now) is None
