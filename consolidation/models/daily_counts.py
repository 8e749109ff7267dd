"""Daily counts: what the page of insights shows, so that it never reads the tables that grow.

A job writes them (`consolidation.insights.day_counts`). Answers of guidance leave no row of their own: they are counted
as they are given.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, Self

from django.db import connection, models, transaction
from django.db.models import Count, F
from django.utils import timezone

from memories.models import Memory
from memories.models.trusted import Trusted
from memories.values.choices import Sensitivity
from memories.values.trust import SHARED_SCOPES

OTHER_SCOPES = "*"  # no scope can have this name; seen only by who sees every scope
COUNTED = "counted"  # how many seconds of the day are counted; WHOLE_DAY: all of it, for good
WHOLE_DAY = 86_400
LONGEST_LABEL = 64
Counted = tuple[str, str, str, int, int]  # name, label, scope, sensitivity, n
INCREMENT = """
    INSERT INTO consolidation_dailycount (day, name, label, scope, sensitivity, n) VALUES (%s, %s, %s, %s, %s, 1)
    ON CONFLICT (day, name, label, scope, sensitivity) DO UPDATE SET n = consolidation_dailycount.n + 1
"""


class DailyCountQuerySet(Trusted["DailyCount"]):
    def within(self, first: date, last: date) -> Self:
        return self.filter(day__gte=first, day__lte=last)

    def increment(self, name: str, label: str, *, day: date, scope: str) -> None:
        """Count one event. A single statement, so that nobody waits for the lock of its row longer than that."""
        with connection.cursor() as cursor:
            cursor.execute(INCREMENT, [day, name, label, scope, Sensitivity.PUBLIC])

    def replace(self, day: date, names: Iterable[str], counts: Iterable[Counted], scopes: Sequence[str]) -> None:
        """Write the counts of a day under these names, in the place of those that it had; those of one name, label,
        scope and level are added up, and so are those of the scopes that are not among `scopes`."""
        sums: Counter[tuple[str, str, str, int]] = Counter()
        for name, label, scope, sensitivity, n in counts:
            sums[name, label[:LONGEST_LABEL], scope if scope in scopes else OTHER_SCOPES, sensitivity] += n
        rows = [
            DailyCount(day=day, name=name, label=label, scope=scope, sensitivity=sensitivity, n=n)
            for (name, label, scope, sensitivity), n in sums.items()
            if n
        ]
        with transaction.atomic():
            self.filter(day=day, name__in=list(names)).delete()
            self.bulk_create(rows, batch_size=2000)

    def mark(self, day: date, seconds: int) -> None:
        """Record how much of a day is counted."""
        place: dict[str, Any] = {"label": "", "scope": "", "sensitivity": Sensitivity.PUBLIC}
        self.update_or_create(day=day, name=COUNTED, **place, defaults={"n": seconds})

    def marks(self) -> dict[date, int]:
        return dict(self.filter(name=COUNTED).values_list("day", "n"))

    def totals(self) -> list[tuple[str, str, date, int]]:
        """(name, label, day, n), summed over scopes and levels."""
        sums = self.order_by().values("name", "label", "day").annotate(total=models.Sum(F("n")))
        return [(row["name"], row["label"], row["day"], row["total"]) for row in sums]


class DailyCount(models.Model):
    """One number of one day of the workspace, for the rows of one scope and level as they stood on that day.

    `scope`: the largest scopes by name, the others together under OTHER_SCOPES.
    """

    day = models.DateField()
    name = models.CharField(max_length=24)
    label = models.CharField(max_length=LONGEST_LABEL, blank=True)
    scope = models.CharField(max_length=128, blank=True)
    sensitivity = models.SmallIntegerField()
    n = models.BigIntegerField()

    objects = DailyCountQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["day", "name", "label", "scope", "sensitivity"], name="daily_count_is_one_of_its_day"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.name} {self.label}: {self.n}"


MOST_SCOPES = 20  # counted by name; the others together


def start_of(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time()), timezone.get_default_timezone())


def end_of(day: date) -> datetime:
    return start_of(day + timedelta(days=1))


def day_of(at: datetime) -> date:
    """The day of the workspace, by which the job counts, whatever the zone of who reads the page."""
    return timezone.localtime(at, timezone.get_default_timezone()).date()


def named_scopes() -> list[str]:
    """The shared scopes and the MOST_SCOPES largest others."""
    sizes = Memory.objects.exclude(scope__in=SHARED_SCOPES).order_by().values("scope").annotate(n=Count("pk"))
    return [*SHARED_SCOPES, *sizes.order_by("-n", "scope").values_list("scope", flat=True)[:MOST_SCOPES]]
