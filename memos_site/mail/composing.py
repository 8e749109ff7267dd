"""One mail as it is sent: in the person's language and time zone, as text and as HTML, with a link that stops it."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from memories.models import Mail
from memories.people import administers, trust_of
from memories.values.choices import Permission
from memories.values.links import site_page
from memos_site.mail import contents
from memos_site.mail.contents import Period, Section
from memos_site.web import profile

DAYS = {Mail.Kind.DAILY: 1, Mail.Kind.WEEKLY: 7}
HOUR = time(8)  # of the person's day, at which digests are due


def compose(rows: Sequence[Mail], *, at: datetime) -> EmailMultiAlternatives | None:
    """The mail of these rows of one person; None: there is nothing to tell, or they do not want it any more."""
    person: User = rows[0].user
    trust, preferences = trust_of(person), person.preferences
    if not (
        person.email and trust.may(Permission.READ) and (preferences.alerts if rows[0].is_alert else preferences.digest)
    ):
        return None
    with override(language_of(person)), timezone.override(zone_of(person)):
        if rows[0].is_alert:
            sections = contents.alert(trust, [UUID(row.about) for row in rows], at=at)
        else:
            period = period_of(rows[0])
            sections = contents.digest(trust, period, administers=administers(person))
        return _mail(rows[0], person, sections) if sections else None


def language_of(person: User) -> str:
    """The language that a person chose, else the workspace's."""
    return person.preferences.language or settings.LANGUAGE_CODE


def zone_of(person: User) -> ZoneInfo:
    """The time zone that a person chose, else the workspace's."""
    return ZoneInfo(person.preferences.time_zone or settings.TIME_ZONE)


def due_day(kind: str, zone: ZoneInfo, *, at: datetime) -> datetime:
    """The last moment at which such a digest was due: every day, or on Mondays, at eight in the morning there."""
    local_time = at.astimezone(zone)
    due = datetime.combine(local_time.date(), HOUR, zone)
    if due > local_time:
        due -= timedelta(days=1)
    return due - timedelta(days=due.weekday()) if kind == Mail.Kind.WEEKLY else due


def period_of(mail: Mail) -> Period:
    """The day or the week before the moment at which a digest was due."""
    until = datetime.combine(datetime.fromisoformat(mail.about).date(), HOUR, zone_of(mail.user))
    return Period(until - timedelta(days=DAYS[Mail.Kind(mail.kind)]), until)


def _mail(row: Mail, person: User, sections: list[Section]) -> EmailMultiAlternatives:
    stop = site_page("stop-mails", profile.token(person.pk, alerts=row.is_alert))
    subject = _subject(row, sections)
    context = {
        "title": subject,
        "greeting": _greeting(row, person.get_full_name() or person.username),
        "sections": sections,
        "stop": stop,
        "settings": site_page("profile"),
        "inbox": site_page("inbox"),
    }
    headers = {
        "Message-ID": f"<{row.pk}@{urlsplit(settings.SITE_URL).hostname}>",  # on every try the same
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    mail = EmailMultiAlternatives(f"Memos: {subject}", _text(context), to=[person.email], headers=headers)
    mail.attach_alternative(render_to_string("mail/mail.html", context), "text/html")
    return mail


def _greeting(row: Mail, name: str) -> str:
    if row.is_alert:
        return _("Hello %(name)s, this should not wait:") % {"name": name}
    return _("Hello %(name)s, this is how Memos stands:") % {"name": name}


def _text(context: dict[str, Any]) -> str:
    """The mail without HTML. No template: those lose their empty lines when they are loaded."""
    parts = [context["greeting"]]
    for section in context["sections"]:
        lines = [f"- {line.text}{f' ({line.note})' if line.note else ''}\n  {line.url}" for line in section.lines]
        parts.append("\n".join([section.title, *lines]))
    links = {
        _("Inbox"): context["inbox"],
        _("Choose which mails you get"): context["settings"],
        _("Stop these mails"): context["stop"],
    }
    parts.append("\n".join(f"{words}: {url}" for words, url in links.items()))
    return "\n\n".join(parts) + "\n"


def _subject(row: Mail, sections: list[Section]) -> str:
    if not row.is_alert:
        return _("your day") if row.kind == Mail.Kind.DAILY else _("your week")
    number = sum(len(section.lines) for section in sections)
    return ngettext("%(n)d urgent item", "%(n)d urgent items", number) % {"n": number}
