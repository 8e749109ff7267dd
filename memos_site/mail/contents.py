"""What a mail tells a person: only of what they may see, and without content that may be sent to no other machine.

Each line leads to a page. Texts are in the language that is active, times in the active zone.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Min
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from consolidation.models import Run, WebhookDelivery
from consolidation.models.runs import TITLES
from memories.models import AuditEntry, Mail, Memory, Proposal
from memories.scanning import masked_answers
from memories.values.choices import Sensitivity, Status
from memories.values.links import site_page
from memories.values.trust import Trust
from memos_site import review
from memos_site.review.waiting import parts_to_count
from memos_site.web import reader
from memos_site.web.inbox_rows import KINDS
from memos_site.web.sentences import sentence
from skills.models import SkillVersion

MOST = 5  # rows of a section that are named
LONGEST = 160  # characters of a row


@dataclass(frozen=True)
class Line:
    """`note`: a few words beside the link."""

    text: str
    url: str
    note: str = ""


@dataclass(frozen=True)
class Section:
    title: str
    lines: list[Line]


@dataclass(frozen=True)
class Period:
    """What a digest is about: from `since` on, before `until`."""

    since: datetime
    until: datetime


def digest(trust: Trust, period: Period, *, administers: bool) -> list[Section]:
    """What waits now, what changed in the period and what fails; sections without lines are left out."""
    sections = (
        Section(_("Waiting for a decision"), [*_kinds(trust, period.until), *_first_rows(trust, period.until)]),
        Section(_("What changed"), list(_changes(trust, period))),
        Section(_("What is failing"), list(_failures(trust, period, administers=administers))),
    )
    return [section for section in sections if section.lines]


def alert(trust: Trust, ids: Collection[UUID], *, at: datetime) -> list[Section]:
    """The proposals and contests of `urgent` with these ids that the person may still see and decide."""
    conflicts: list[Line] = []
    harms: list[Line] = []
    for proposal in _open_proposals(trust, at).filter(pk__in=ids):
        alerts = harms if proposal.kind == Proposal.Kind.FAILING else conflicts
        alerts.append(Line(_name(proposal.memory), _memory_page(proposal.memory), _why(proposal)))
    subject_ids = AuditEntry.objects.filter(pk__in=ids).values("subject_id")
    rows = Memory.objects.visible_to(trust).filter(pk__in=subject_ids, status=Status.CONTESTED)
    words = _("it was applied, and is contested now")
    conflicts += [Line(_name(memory), _memory_page(memory), words) for memory in rows]
    failing = _("Skills that fail too often, harm, or have no effect")
    titles = (_("Conflicts of applied memories"), conflicts), (failing, harms)
    return [Section(title, lines) for title, lines in titles if lines]


def urgent(trust: Trust, since: datetime, *, at: datetime) -> list[UUID]:
    """Ids of what a person is told at once: open proposals about a conflict of something applied, or about a skill
    that harms, and audit entries by which something applied was contested.
    """
    proposals = _open_proposals(trust, at).filter(opened_at__gte=since)
    harms = proposals.filter(kind=Proposal.Kind.FAILING)
    conflicts = proposals.filter(kind=Proposal.Kind.CONFLICT, memory__status=Status.APPLIED)
    contests = AuditEntry.objects.visible_to(trust).filter(subject_kind="memory", action="contest", at__gte=since)
    contests = contests.filter(before__status=Status.APPLIED)
    return [id for rows in (harms, conflicts, contests) for id in rows.values_list("pk", flat=True)]


def _open_proposals(trust: Trust, at: datetime) -> Any:
    return review.open_proposals(trust, at=at).order_by("-opened_at")


def _kinds(trust: Trust, at: datetime) -> Iterator[Line]:
    """A line for each kind that waits: the number, and since when the oldest waits."""
    counts = review.kinds(trust, at=at)
    for kind, words in KINDS.items():
        if number := counts.get(kind):
            oldest = _oldest(trust, kind, at)
            note = _("the oldest: %(age)s") % {"age": reader.distance(oldest)} if oldest else ""
            yield Line(f"{words}: {number}", site_page("inbox", kind=kind), note)


def _oldest(trust: Trust, kind: str, at: datetime) -> datetime | None:
    if kind in review.PROPOSALS:
        return _open_proposals(trust, at).filter(kind=kind).aggregate(at=Min("opened_at"))["at"]  # type: ignore[no-any-return]
    rows = parts_to_count(trust, at, {}, kind).values()
    if kind == review.VERSION:
        versions = SkillVersion.objects.filter(status=SkillVersion.Status.PROPOSED)
        instants = [versions.filter(skill__memory__in=part).aggregate(at=Min("created_at"))["at"] for part in rows]
    else:
        instants = [part.aggregate(at=Min("created_at"))["at"] for part in rows]
    return min(filter(None, instants), default=None)


def _first_rows(trust: Trust, at: datetime) -> Iterator[Line]:
    """The first rows of the inbox: proposals about conflicts and failing skills stand before memories."""
    urgent = list(_open_proposals(trust, at).filter(kind__in=review.waiting.URGENT)[:MOST])
    for proposal in urgent:
        yield Line(_name(proposal.memory), _memory_page(proposal.memory), str(KINDS[Proposal.Kind(proposal.kind)]))
    for memory in review.waiting_memories(trust, at=at)[: MOST - len(urgent)]:
        yield Line(_name(memory), _memory_page(memory), reader.distance(memory.created_at))


def _changes(trust: Trust, period: Period) -> Iterator[Line]:
    period_filter = {"created_at__gte": period.since, "created_at__lt": period.until}
    new_count = Memory.objects.visible_to(trust).knowledge().filter(**period_filter).count()
    if new_count:
        words = ngettext("%(n)d new memory", "%(n)d new memories", new_count) % {"n": new_count}
        yield Line(words, site_page("memories"))
    trail = AuditEntry.objects.visible_to(trust).filter(at__gte=period.since, at__lt=period.until)
    trail = trail.filter(subject_kind="memory")
    if applied_count := trail.filter(action="promote", after__status=Status.APPLIED).count():
        yield Line(_("applied: %(n)s") % {"n": applied_count}, site_page("memories", status=Status.APPLIED))
    if dismissed_count := trail.filter(action="dismiss").count():
        yield Line(_("dismissed: %(n)s") % {"n": dismissed_count}, site_page("dismissed"))
    versions = SkillVersion.objects.filter(published_at__gte=period.since, published_at__lt=period.until)
    versions = versions.filter(trust.visible("skill__memory__")).select_related("skill__memory")
    for version in versions.order_by("-published_at")[:MOST]:
        words = _("version %(number)s published") % {"number": version.number}
        yield Line(_name(version.skill.memory), _memory_page(version.skill.memory), words)


def _failures(trust: Trust, period: Period, *, administers: bool) -> Iterator[Line]:
    """Runs that failed in the period and, for administrators, messages and mails that were given up."""
    runs = Run.objects.visible_to(trust).filter(status=Run.Status.FAILED)
    for run in runs.filter(finished_at__gte=period.since, finished_at__lt=period.until).order_by("-finished_at")[:MOST]:
        yield Line(str(TITLES.get(run.kind, run.kind)), site_page("run", run.pk), _shorten(sentence(run.error)))
    if not administers:
        return
    given_up = {"next_at__gte": period.since, "next_at__lt": period.until}  # of the last try, days after the first
    if webhooks := WebhookDelivery.objects.filter(status=WebhookDelivery.Status.FAILED, **given_up).count():
        words = _("messages to webhooks that were not delivered: %(n)s") % {"n": webhooks}
        yield Line(words, site_page("admin:consolidation_webhookdelivery_changelist"))
    if mails := Mail.objects.filter(status__in=(Mail.Status.FAILED, Mail.Status.UNSURE), **given_up).count():
        words = _("mails that were not sent: %(n)s") % {"n": mails}
        yield Line(words, site_page("admin:memories_mail_changelist"))


def _name(memory: Memory) -> str:
    """A memory in a few words; not its content where EXTERNAL_MAX_SENSITIVITY keeps it on this machine."""
    if _stays_here(memory.sensitivity):
        return pgettext("of a memory in a mail", "a memory whose sensitivity keeps it out of mails")
    skill = getattr(memory, "skill", None)
    return _shorten(skill.name if skill else memory.content)


def _why(proposal: Proposal) -> str:
    """The reason of a proposal; '' where it may quote a memory that is not sent out."""
    return "" if _stays_here(proposal.sensitivity) else _shorten(sentence(proposal.why))


def _stays_here(sensitivity: int) -> bool:
    return sensitivity > Sensitivity.named(settings.EXTERNAL_MAX_SENSITIVITY)


def _shorten(text: str) -> str:
    text = " ".join(masked_answers.masked(text).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _memory_page(memory: Memory) -> str:
    return site_page("memory", memory.pk)
