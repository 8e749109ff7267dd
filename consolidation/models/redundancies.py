"""Table of what was read in conversations and is only kept: agents do without it, so no person is asked about it."""

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from consolidation.models.commands import CommandFact
from consolidation.models.patterns import Pattern
from consolidation.models.plans import PlanShape
from memories.models import Memory


class Redundancy(models.Model):
    """Why a fact or skill that a model read does not wait for a person while it is a candidate.

    It is kept and found like others, and a person may promote or dismiss it. `reason`: counts, or the model's words.
    """

    class Why(models.TextChoices):
        SHOWN = "shown", _("a tool shows it at once")
        COUNTED = "counted", _("similar runs end as well without it")
        UNTAUGHT = "untaught", _("nothing in the conversation teaches it")  # of rows that are kept; no new ones
        MODEL = "model", _("a language model says that agents do without it")

    memory = models.OneToOneField(Memory, models.CASCADE, primary_key=True)
    why = models.CharField(max_length=8, choices=Why)
    reason = models.CharField(max_length=300, blank=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.why}: {self.reason}".strip(": ")


def kept_only() -> Q:
    """The condition of candidates that are stored and about which nobody is asked: what a model read and agents do
    without, facts and skills that their pipelines do not let wait, and plans.
    """
    of_memory = Q(memory=OuterRef("pk"))
    condition = Q(Exists(Redundancy.objects.filter(of_memory))) | Q(Exists(PlanShape.objects.filter(of_memory)))
    condition |= Q(Exists(Pattern.objects.filter(of_memory, waits=False)))
    return condition | Q(Exists(CommandFact.objects.filter(of_memory, waits=False)))
