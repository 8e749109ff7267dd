"""What is kept about a person: the limits that an administrator gives, their preferences, their views of the inbox, and
mails to them: each row is one, or a part of one, and the queue and the record at once.
"""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, Self
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.contrib.postgres.fields import ArrayField
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.db.models.functions import Lower, Now
from django.utils.translation import gettext_lazy as _

from memories.models.trusted import new_id
from memories.values.exceptions import Conflict

MAX_VIEWS = 8  # of one person
MAX_NAME = 40
BACK_OFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 720))  # after each failed try
UNDER_WAY = timedelta(minutes=5)  # a try that was begun by a worker that died comes again
RETENTION = timedelta(days=90)  # of a mail
DIED = "the worker died while it was sent: it may have arrived"


class PersonLimits(models.Model):
    """The scopes of a person who may not see all of them. Without a row, or with an empty list: every scope."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="limits")
    scopes = ArrayField(models.CharField(max_length=128), default=list, blank=True)

    class Meta:
        verbose_name_plural = "limits of people"

    def __str__(self) -> str:
        return ", ".join(self.scopes) or "every scope"


class PreferencesSet(models.QuerySet["Preferences"]):
    def language_of(self, user: AbstractBaseUser | AnonymousUser) -> str:
        """The language that a person chose; '' for none, or for nobody."""
        return self.filter(user_id=user.pk).values_list("language", flat=True).first() or "" if user.pk else ""

    def choose(self, user: User, **columns: Any) -> None:
        """Keep what a person chose: columns. Of mails also since when, as they tell what happens from then on."""
        self.update_or_create(user=user, defaults=columns)

    def time_zone_of(self, user: User) -> str:
        """The time zone that a person chose; '' for none."""
        return self.filter(user_id=user.pk).values_list("time_zone", flat=True).first() or ""

    def stop_mails(self, user_id: int, *, alerts: bool) -> None:
        """Stop the digests, or with `alerts` the alerts, to a person."""
        self.filter(user_id=user_id).update(**({"alerts": False} if alerts else {"digest": ""}))


class Preferences(models.Model):
    """What a person chose for their pages, so that another browser knows it too, and for mails to them.

    `alerts`: conflicts of what is applied, and skills that harm, at once. `mails_since`: when the mails were chosen.
    """

    class Digest(models.TextChoices):
        DAILY = "daily", _("Every day")
        WEEKLY = "weekly", _("Every week")

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True)
    language = models.CharField(max_length=16, blank=True)  # one of settings.LANGUAGES; '' = as the browser asks
    time_zone = models.CharField(max_length=64, blank=True, db_default="")  # '' = the workspace's
    digest = models.CharField(max_length=8, blank=True, choices=Digest, db_default="")  # '' = none
    alerts = models.BooleanField(default=False, db_default=False)
    mails_since = models.DateTimeField(null=True)

    objects = PreferencesSet.as_manager()

    class Meta:
        verbose_name_plural = "preferences"

    def __str__(self) -> str:
        return f"preferences of {self.user}"


class SavedViewSet(models.QuerySet["SavedView"]):
    def of(self, user: User) -> "SavedViewSet":
        return self.filter(user_id=user.pk).order_by("created_at", "id")

    def keep(self, user: User, name: str, query: str) -> "SavedView":
        """Keep a view under a name. Conflict: the person has one of that name, or MAX_VIEWS."""
        with transaction.atomic():
            User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two forms at once count each other
            if self.of(user).count() >= MAX_VIEWS:
                raise Conflict("there are eight saved views already: delete one first")
            return self._save_named(SavedView(user=user, name=name, query=query), name)

    def rename(self, user: User, view_id: UUID, name: str) -> bool:
        """Give a view another name; False where the person has no such view. Conflict as in `keep`."""
        view = self.of(user).filter(pk=view_id).first()
        return bool(view and self._save_named(view, name))

    def _save_named(self, view: "SavedView", name: str) -> "SavedView":
        view.name = name
        try:
            with transaction.atomic():
                view.save()
        except IntegrityError:
            raise Conflict("a saved view of that name exists already: choose another name") from None
        return view


class SavedView(models.Model):
    """Filters and order of the inbox, as the query of its address, that a person gave a name."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=MAX_NAME)
    query = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    objects = SavedViewSet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint("user", Lower("name"), name="person_has_one_view_of_a_name")]

    def __str__(self) -> str:
        return self.name


class MailQuerySet(models.QuerySet["Mail"]):
    def add(self, mails: Iterable["Mail"]) -> None:
        """Insert those that are new: what a person was told of once is not told again."""
        self.bulk_create(mails, ignore_conflicts=True)

    def due(self, at: datetime) -> Self:
        return self.filter(status=Mail.Status.WAITING, next_at__lte=at).order_by("next_at", "pk")

    def take(self, at: datetime) -> list["Mail"]:
        """The rows of the next mail, for this worker alone: a digest, or all alerts of one person.

        The try is counted before it is made. Empty: nothing is due.
        """
        with transaction.atomic():
            rows = self.due(at).select_for_update(skip_locked=True, of=("self",)).select_related("user")
            first = rows.first()
            if first is None:
                return []
            batch = rows.filter(user=first.user_id, kind=first.kind) if first.is_alert else [first]
            rows_by_id = {first.pk: first} | {row.pk: row for row in batch}
            for row in rows_by_id.values():
                row.attempts, row.next_at = row.attempts + 1, at + UNDER_WAY
            self.bulk_update(rows_by_id.values(), ["attempts", "next_at"])
            return list(rows_by_id.values())

    def move(self, mails: Collection["Mail"], before: str, after: str, **facts: object) -> bool:
        """Change the status of rows that this worker took; False, and nothing: one of them is not as it was left."""
        with transaction.atomic():
            unchanged = Q(*((Q(pk=row.pk, attempts=row.attempts)) for row in mails), _connector=Q.OR)
            is_complete = self.filter(unchanged, status=before).update(status=after, **facts) == len(mails)
            if not is_complete:
                transaction.set_rollback(True)
            return is_complete

    def give_up_dead(self, at: datetime) -> None:
        """Record the mails whose worker died between the server's first word and its last: they are not sent again."""
        dead = self.filter(status=Mail.Status.SENDING, next_at__lte=at)
        dead.update(status=Mail.Status.UNSURE, error=DIED)

    def forget(self, at: datetime) -> None:
        self.filter(created_at__lt=at - RETENTION).delete()


class Mail(models.Model):
    """One mail to one person: a digest (`about`: the person's day on which it is due) or one happening of an alert.

    It is composed when it is sent, of what the person may then see. `sending`: the server has it in hand.
    """

    class Kind(models.TextChoices):
        DAILY = "daily", _("Every day")
        WEEKLY = "weekly", _("Every week")
        ALERT = "alert", _("At once")

    class Status(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        SENDING = "sending", _("Sending")
        SENT = "sent", _("Sent")
        EMPTY = "empty", _("Nothing to tell")
        FAILED = "failed", _("Failed")
        UNSURE = "unsure", _("Unsure")

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="mails")
    kind = models.CharField(max_length=8, choices=Kind)
    about = models.CharField(max_length=64)
    status = models.CharField(max_length=8, choices=Status, default=Status.WAITING)
    attempts = models.SmallIntegerField(default=0)
    next_at = models.DateTimeField()
    error = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(null=True)

    objects = MailQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "kind", "about"], name="person_is_mailed_once_of_a_thing")
        ]
        indexes = [models.Index(fields=["next_at"], condition=Q(status="waiting"), name="mail_due")]

    def __str__(self) -> str:
        return f"{self.kind} mail to {self.user}: {self.status}"

    @property
    def is_alert(self) -> bool:
        return self.kind == self.Kind.ALERT

    def later(self, at: datetime) -> tuple[str, datetime]:
        """The status and the time of the next try after one that failed."""
        if self.attempts > len(BACK_OFF):
            return self.Status.FAILED, at
        return self.Status.WAITING, at + BACK_OFF[self.attempts - 1]


def recipients() -> models.QuerySet[User]:
    """People who chose to be written to and have an address, with their preferences."""
    rows = User.objects.filter(is_active=True).exclude(email="").select_related("preferences")
    rows = rows.filter(preferences__mails_since__isnull=False)
    return rows.exclude(preferences__digest="", preferences__alerts=False)
