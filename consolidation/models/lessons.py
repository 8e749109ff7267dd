"""Table of lessons: lines that a language model wrote for a scope as a whole, from a success beside a failure."""

from typing import Self

from django.db import models
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consolidation.models.worth import SkillOffer
from memories.models import Memory
from memories.models.trusted import Trusted
from memories.values.choices import BELIEVED, Origin, Outcome

SOURCE = "lessons"
VERSION = 1  # in its offers: its words never change, and a corrected one is no longer withheld


def is_lesson(memory: Memory) -> bool:
    return memory.origin == Origin.EXTRACTED and memory.source == SOURCE


class LessonQuerySet(Trusted["Lesson"]):
    trust_path = "memory__"

    def in_use(self) -> Self:
        """Those that contexts offer."""
        return self.filter(memory__status__in=BELIEVED)

    def unchanged(self) -> Self:
        """Those whose words no person has corrected."""
        return self.filter(memory__content=F("words"))

    def with_counters(self) -> Self:
        """Annotate `helped` and `harmed`, runs with the lesson that ended well or ill, and `not_shown` by lot."""
        return self.annotate(
            helped=_offers(Q(withheld=False, outcome=Outcome.SUCCESS)),
            harmed=_offers(Q(withheld=False, outcome=Outcome.FAILURE)),
            not_shown=_offers(Q(withheld=True)),
        )


def _offers(condition: Q) -> Coalesce:
    offers: QuerySet[SkillOffer] = SkillOffer.objects.filter(condition, memory=OuterRef("pk")).order_by()
    count = offers.values("memory").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(count, output_field=models.IntegerField()), 0)


class Lesson(models.Model):
    """What made the difference between runs that ended well and ill, where no skill says it; its memory is decided,
    found and forgotten like any other.

    `words`: as the model wrote them; a memory that says something else was corrected by a person. `cases`: from how
    many it was written; `concerned`, `gained`, `lost`: what it would have changed in other runs, see
    `consolidation/model_lines/line_losses.py`.
    """

    memory = models.OneToOneField(Memory, models.CASCADE, primary_key=True, related_name="lesson")
    words = models.TextField()
    cases = models.IntegerField()
    concerned = models.IntegerField()
    gained = models.IntegerField()
    lost = models.IntegerField()

    objects = LessonQuerySet.as_manager()

    def __str__(self) -> str:
        return self.words

    @property
    def is_corrected(self) -> bool:
        return self.memory.content != self.words

    @property
    def measured(self) -> str:
        """What recorded runs say of the lesson, in a sentence of the reader's language."""
        sentence = ngettext(
            "It made the difference in %(cases)d case.", "It made the difference in %(cases)d cases.", self.cases
        )
        counts = _(
            "Of %(concerned)d other runs like it, %(gained)d did otherwise and failed, %(lost)d did otherwise and "
            "ended well."
        )
        return f"{sentence} {counts}" % {name: getattr(self, name) for name in ("cases", "concerned", "gained", "lost")}
