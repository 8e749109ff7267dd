"""The job that writes the rows of mails that are due, and sends them, each once.

A mail is at the server between two changes of its row: `sending` before its first byte, `sent` after the server's word.
A worker that dies before has sent nothing, and the mail is tried again; one that dies in between has perhaps sent it,
and it is not sent twice.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.core.mail import get_connection
from django.utils import timezone

from memories.models import Mail, Preferences
from memories.models.persons import recipients
from memories.people import trust_of
from memories.values.choices import Permission
from memos_site.mail import composing, contents
from memos_site.platform import tracing

SLICE = 50  # seconds; the next job starts after a minute
SINCE = timedelta(days=7)  # how far back is looked for what a person is to be told at once
log = logging.getLogger("memos.mail")


class NotSent(Exception):
    """A mail could not be sent; it is tried again. Raised for the list of failed jobs."""


@tracing.job
def mails() -> str:
    """Write down which mails are due, and send them, for SLICE seconds."""
    deadline = time.monotonic() + SLICE
    Mail.objects.give_up_dead(timezone.now())
    collect(at=timezone.now())
    return f"{send_due(should_stop=lambda: time.monotonic() > deadline)} sent"


def collect(*, at: datetime) -> None:
    """Write a row for each digest that is due and for each matter that a person is to be told at once."""
    Mail.objects.forget(at)
    for person in recipients():
        Mail.objects.add(
            Mail(user=person, kind=kind, about=about, next_at=at) for kind, about in _due_mails(person, at) if about
        )


def _due_mails(person: User, at: datetime) -> Iterator[tuple[str, str]]:
    preferences: Preferences = person.preferences
    since = preferences.mails_since
    if since is None:
        return
    if preferences.digest:
        due = composing.due_day(preferences.digest, composing.zone_of(person), at=at)
        if due >= since:
            yield preferences.digest, due.date().isoformat()
    trust = trust_of(person)
    if preferences.alerts and trust.may(Permission.READ):
        for id in contents.urgent(trust, max(since, at - SINCE), at=at):
            yield Mail.Kind.ALERT, str(id)


def send_due(*, now: Callable[[], datetime] = timezone.now, should_stop: Callable[[], bool] = lambda: False) -> int:
    """Send what is due, one mail after the other; how many were sent.

    NotSent: the server did not take one. The others wait for the next job then, and this one for its next try.
    """
    sent_count = 0
    while not should_stop() and (rows := Mail.objects.take(now())):
        try:
            sent_count += _send(rows, now)
        except Exception as error:  # whatever a server or an address does: the row says it, and the next job goes on
            _record_failure(rows, error, at=now())
            raise NotSent(f"a mail could not be sent: {_error_text(error)}") from error
    return sent_count


def _send(rows: Sequence[Mail], now: Callable[[], datetime]) -> bool:
    """Send one mail. False: there was nothing to tell, or another worker has it."""
    mail = composing.compose(rows, at=now())
    if mail is None:
        Mail.objects.move(rows, Mail.Status.WAITING, Mail.Status.EMPTY)
        return False
    with get_connection() as connection:
        if not Mail.objects.move(rows, Mail.Status.WAITING, Mail.Status.SENDING):
            return False
        mail.connection = connection
        mail.send()
        Mail.objects.move(rows, Mail.Status.SENDING, Mail.Status.SENT, sent_at=now(), error="")
    return True


def _record_failure(rows: Sequence[Mail], error: Exception, *, at: datetime) -> None:
    log.error("a mail to a person could not be sent: %s", _error_text(error))
    status, next_at = rows[0].later(at)
    for before in (Mail.Status.WAITING, Mail.Status.SENDING):
        Mail.objects.move(rows, before, status, next_at=next_at, error=_error_text(error))


def _error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]
