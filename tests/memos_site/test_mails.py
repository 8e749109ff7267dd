"""Mails to people: who is written to, of what, when, in which words, and each once, whatever happens to the worker."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.message import Message
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.utils import timezone

from consolidation.models import Run, Webhook, WebhookDelivery
from memories.intake import revisions
from memories.models import Mail, Memory, PersonLimits, Preferences, Proposal
from memories.models.persons import BACK_OFF, DIED, UNDER_WAY
from memories.values.choices import Sensitivity, Status
from memories.values.trust import SYSTEM
from memos_site.mail import sending
from memos_site.platform.service_settings import CONSOLE, mail_settings
from memos_site.web import profile
from tests.make import make_memory, make_person, make_skill
from tests.memories.storing import store as store_claim
from tests.memos_site.smtp_server import MailServer, smtp
from tests.pages import signed_in

pytestmark = pytest.mark.django_db
TOKEN = f"ghp_{'a1B2' * 9}"
MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)
SITE = "https://memos.example.com"


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with smtp() as told:
        for name, value in mail_settings(f"smtp://127.0.0.1:{told.port}").items():
            setattr(settings, name, value)
        settings.SITE_URL, settings.DEFAULT_FROM_EMAIL = SITE, "Memos <memos@example.com>"
        yield told


def reader(name: str = "anna", *, digest: str = "daily", alerts: bool = False, **chosen: Any) -> User:
    person = make_person(name)
    User.objects.filter(pk=person.pk).update(email=f"{name}@example.com")
    Preferences.objects.choose(person, digest=digest, alerts=alerts, mails_since=MONDAY - 30 * DAY)
    Preferences.objects.filter(user=person).update(**chosen)
    return User.objects.get(pk=person.pk)


def job(at: datetime) -> int:
    Mail.objects.give_up_dead(at)
    sending.collect(at=at)
    return sending.send_due(now=lambda: at)


def text(mail: Message) -> str:
    return part(mail, "text/plain")


def part(mail: Message, kind: str) -> str:
    [found] = [one for one in mail.walk() if one.get_content_type() == kind]
    payload = found.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode()


def conflict(**facts: Any) -> Proposal:
    memory = make_memory("Acme pays on net-30 terms", status=Status.APPLIED, **facts)
    told: Any = {"by": SYSTEM, "why": "another says net-60", "at": MONDAY, "sensitivity": memory.sensitivity}
    return Proposal.objects.propose(Proposal.Kind.CONFLICT, memory, {"content": "net-60"}, **told)


def test_a_digest_says_what_waits_what_changed_and_what_fails_with_a_link_to_each(server: MailServer) -> None:
    reader()
    store_claim("Acme pays on net-30 terms", at=MONDAY - 5 * DAY)
    claim = Memory.objects.get()
    ended: Any = {"finished_at": MONDAY - timedelta(hours=5), "error": f"ValueError: {TOKEN}"}
    run = Run.objects.create(kind="consolidate", trigger="api", status="failed", **ended)
    assert job(MONDAY) == 1
    [mail] = server.mails
    body = text(mail)
    assert mail["From"] == "Memos <memos@example.com>" and mail["To"] == "anna@example.com"
    assert "Facts and preferences: 1" in body and "Acme pays on net-30 terms" in body and "ValueError" in body
    assert TOKEN not in body, "no middleware masks what is mailed"
    html = part(mail, "text/html")
    for address in (f"{SITE}/memories/{claim.pk}/", f"{SITE}/runs/{run.pk}/", f"{SITE}/?kind=semantic"):
        assert address in body and f'href="{address}"' in html
    assert Mail.objects.get().status == "sent"


def test_what_was_given_up_days_after_it_was_made_is_told_once(server: MailServer) -> None:
    writer, hours = reader("ben", digest=""), (30, 5, -1)
    User.objects.filter(pk=reader().pk).update(is_superuser=True)
    hook = Webhook.objects.create(name="chat", url="https://chat.example.com", events=["run_failed"])
    told: Any = {"webhook": hook, "event": "run_failed", "body": "{}", "sensitivity": 0}
    for at in [MONDAY - timedelta(hours=hour) for hour in hours]:
        Mail.objects.create(user=writer, kind="daily", about=str(at), status="failed", next_at=at)
        WebhookDelivery.objects.create(subject=uuid4(), status="failed", next_at=at, **told)
    for rows in (Mail, WebhookDelivery):
        rows.objects.update(created_at=MONDAY - 3 * DAY)
    assert job(MONDAY) == 1
    body = text(server.mails[0])
    assert "messages to webhooks that were not delivered: 1" in body and "mails that were not sent: 1" in body


def test_a_digest_comes_once_a_day_or_a_week_at_eight_where_the_person_is(server: MailServer) -> None:
    reader(time_zone="Asia/Shanghai")
    reader("ben", digest="weekly")
    store_claim("Acme pays on net-30 terms", at=MONDAY - 5 * DAY)
    hours = [MONDAY - timedelta(hours=13) + timedelta(hours=hour) for hour in range(8 * 24)]
    for hour in hours:
        job(hour)
        job(hour)
    told = Mail.objects.filter(status="sent").order_by("sent_at").values_list("user__username", "about", "sent_at")
    daily = [sent for name, _, sent in told if name == "anna"]
    assert daily[1:] == [datetime(2026, 3, day, 0, tzinfo=UTC) for day in range(2, 10)]
    assert [about for name, about, _ in told if name == "ben"][1:] == ["2026-03-02", "2026-03-09"]
    assert len(server.mails) == len(told)


def test_nobody_is_written_to_without_having_chosen_it_and_nothing_where_there_is_nothing(server: MailServer) -> None:
    reader("off", digest="")
    reader("fresh", mails_since=MONDAY)  # the digest of this morning was due before
    nowhere = reader("nowhere")
    User.objects.filter(pk=nowhere.pk).update(email="")
    gone = reader("gone")
    User.objects.filter(pk=gone.pk).update(is_active=False)
    make_person("new")
    store_claim("Acme pays on net-30 terms", at=MONDAY - 5 * DAY)
    assert job(MONDAY) == 0 and not Mail.objects.exists()
    Memory.objects.update(status=Status.CONFIRMED)
    reader("calm")
    assert job(MONDAY) == 0
    assert Mail.objects.get().status == "empty" and server.mails == []


def test_a_mail_tells_only_what_the_person_may_see_and_what_may_leave_the_machine(server: MailServer) -> None:
    PersonLimits.objects.create(user=reader(), scopes=["project:a"])
    admin = reader("root", alerts=True)
    User.objects.filter(pk=admin.pk).update(is_superuser=True)
    for scope, level in (("project:a", "low"), ("project:b", "low"), ("project:a", "high")):
        store_claim(f"Said in {scope} {level}", key=f"{scope}{level}", scope=scope, sensitivity=level, at=MONDAY - DAY)
    conflict(key="terms", sensitivity=Sensitivity.HIGH)  # its reason quotes it
    job(MONDAY)
    assert Mail.objects.filter(kind="alert", status="sent").count() == 1
    assert not any("net-60" in text(mail) or "net-30" in text(mail) for mail in server.mails)
    mails = {mail["To"]: text(mail) for mail in server.mails if "urgent" not in mail["Subject"]}
    assert "project:a low" in mails["anna@example.com"]
    assert "project:b" not in mails["anna@example.com"] and "Facts and preferences: 1" in mails["anna@example.com"]
    assert "project:b low" in mails["root@example.com"] and "high" not in mails["root@example.com"]
    assert "a memory whose sensitivity keeps it out of mails" in mails["root@example.com"]


def test_a_mail_is_in_the_language_of_the_person(server: MailServer) -> None:
    reader(language="zh-hans")
    store_claim("Acme pays on net-30 terms", at=MONDAY - 5 * DAY)
    job(MONDAY)
    [mail] = server.mails
    assert "等待决定" in text(mail) and '<html lang="zh-hans">' in part(mail, "text/html")


def test_conflicts_of_what_is_applied_and_skills_that_harm_are_told_at_once_together_and_once(
    server: MailServer,
) -> None:
    reader(digest="", alerts=True)
    conflict()
    skill = make_skill(at=MONDAY)
    facts: Any = {"by": SYSTEM, "why": "2 of 9 uses ended well", "at": MONDAY, "sensitivity": Sensitivity.LOW}
    Proposal.objects.propose(Proposal.Kind.FAILING, skill.memory, {"verb": "demote", "version": 1}, **facts)
    contested = make_memory("Deploys go out on Fridays", status=Status.APPLIED)
    revisions.contest_by(contested, "They do not", by=SYSTEM, why="", at=MONDAY)
    waiting = make_memory("A candidate", key="c")
    told: Any = {"by": SYSTEM, "why": "", "at": MONDAY, "sensitivity": Sensitivity.LOW}
    Proposal.objects.propose(Proposal.Kind.CONFLICT, waiting, {"content": "x"}, **told)
    assert job(MONDAY) == 1 and job(MONDAY + timedelta(minutes=1)) == 0
    [mail] = server.mails
    body = text(mail)
    assert mail["Subject"] == "Memos: 3 urgent items"
    assert "another says net-60" in body and "book-flight" in body and "Deploys go out on Fridays" in body
    assert "A candidate" not in body
    assert Mail.objects.filter(kind="alert", status="sent").count() == 3


def test_an_alert_that_somebody_has_settled_meanwhile_is_not_sent(server: MailServer) -> None:
    reader(digest="", alerts=True)
    proposal = conflict()
    sending.collect(at=MONDAY)
    proposal.decide("rejected", by=SYSTEM, at=MONDAY)
    assert sending.send_due(now=lambda: MONDAY) == 0
    assert Mail.objects.get().status == "empty"


def test_a_link_stops_them_without_signing_in_on_post_alone_and_does_nothing_else(server: MailServer) -> None:
    person = reader(alerts=True)
    store_claim("Acme pays on net-30 terms", at=MONDAY - 5 * DAY)
    job(MONDAY)
    [mail] = server.mails
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    link = mail["List-Unsubscribe"].strip(" <>").removeprefix(SITE)
    anybody = Client(enforce_csrf_checks=True)
    assert anybody.get(link).status_code == 200
    assert Preferences.objects.get(user=person).digest == "daily"
    assert anybody.post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    chosen = Preferences.objects.get(user=person)
    assert (chosen.digest, chosen.alerts) == ("", True)
    assert anybody.get("/profile/").status_code == 302
    assert anybody.post(f"{link[:-2]}x/").status_code == 404
    anybody.post(f"/mails/stop/{profile.token(person.pk, alerts=True)}/")
    assert not Preferences.objects.get(user=person).alerts


def test_a_server_that_is_away_is_tried_again_later_and_later_and_the_job_fails(
    server: MailServer, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader()
    store_claim("Acme pays on net-30 terms", at=MONDAY - 5 * DAY)
    sending.collect(at=MONDAY)
    settings.EMAIL_PORT, now = 1, MONDAY
    for pause in BACK_OFF:
        with pytest.raises(sending.NotSent, match="ConnectionRefusedError"):
            sending.send_due(now=lambda moment=now: moment)  # type: ignore[misc]
        row = Mail.objects.get()
        assert (row.status, row.next_at) == ("waiting", now + pause) and "ConnectionRefused" in row.error
        now += pause
        assert sending.send_due(now=lambda moment=now - timedelta(seconds=1): moment) == 0  # type: ignore[misc]
    settings.EMAIL_PORT = server.port
    assert sending.send_due(now=lambda: now) == 1
    assert (Mail.objects.get().status, Mail.objects.get().error) == ("sent", "")


def test_a_mail_that_is_refused_keeps_nobody_elses_back(server: MailServer) -> None:
    reader(), reader("ben")
    store_claim("Acme pays on net-30 terms", at=MONDAY - 5 * DAY)
    sending.collect(at=MONDAY)
    server.refuses = [b"550 nobody of that name\r\n"]
    with pytest.raises(sending.NotSent, match="550"):
        sending.send_due(now=lambda: MONDAY)
    assert sending.send_due(now=lambda: MONDAY) == 1
    assert sorted(Mail.objects.values_list("status", flat=True)) == ["sent", "waiting"]


def test_a_worker_that_dies_before_the_server_has_the_mail_has_sent_nothing_and_it_is_sent(server: MailServer) -> None:
    reader()
    store_claim("Acme pays on net-30 terms", at=MONDAY - 5 * DAY)
    sending.collect(at=MONDAY)
    assert len(Mail.objects.take(MONDAY)) == 1
    assert job(MONDAY) == 0
    assert job(MONDAY + UNDER_WAY) == 1
    assert len(server.mails) == 1


def test_a_worker_that_dies_while_the_server_has_the_mail_does_not_have_it_sent_twice(
    server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader()
    store_claim("Acme pays on net-30 terms", at=MONDAY - 5 * DAY)
    send = EmailMultiAlternatives.send

    def and_die(mail: EmailMultiAlternatives) -> None:
        send(mail)
        raise SystemExit

    with monkeypatch.context() as killed, pytest.raises(SystemExit):
        killed.setattr(EmailMultiAlternatives, "send", and_die)
        job(MONDAY)
    for minutes in range(1, 60):
        job(MONDAY + timedelta(minutes=minutes))
    assert len(server.mails) == 1
    assert (Mail.objects.get().status, Mail.objects.get().error) == ("unsure", DIED)


def test_people_choose_their_mails_on_their_page(settings: Any) -> None:
    settings.EMAIL_BACKEND = CONSOLE
    client = signed_in()
    page = client.get("/profile/").content.decode()
    assert "This installation cannot send mails yet" in page
    refused = client.post("/profile/", {"decision": "mails", "digest": "daily", "email": ""})
    assert refused.status_code == 400 and "Mails need an address." in refused.content.decode()
    wrong = client.post("/profile/", {"decision": "mails", "digest": "hourly", "email": "anna@"})
    assert wrong.status_code == 400
    assert not Preferences.objects.exists()
    chosen = {"decision": "mails", "digest": "weekly", "alerts": "on", "email": "anna@example.com"}
    assert client.post("/profile/", chosen).status_code == 302
    kept = Preferences.objects.get()
    assert (kept.digest, kept.alerts, kept.user.email) == ("weekly", True, "anna@example.com")
    assert kept.mails_since is not None and timezone.now() - kept.mails_since < timedelta(minutes=5)
    page = client.get("/profile/").content.decode()
    assert 'value="anna@example.com"' in page and '<option value="weekly" selected>' in page


def test_a_mail_that_was_not_sent_is_shown_to_the_person_and_to_administrators(server: MailServer) -> None:
    client = signed_in("root", group="administrator")
    person = User.objects.get()
    Mail.objects.create(user=person, kind="daily", about="2026-03-02", next_at=MONDAY, error="550 no such mailbox")
    assert "550 no such mailbox" in client.get("/profile/").content.decode()
    assert "550 no such mailbox" in client.get("/admin/memories/mail/").content.decode()
    assert signed_in("ben").get("/admin/memories/mail/").status_code == 302
