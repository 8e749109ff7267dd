"""The ledger of the language model: one row for every attempt to call it, also the failed ones."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from consolidation.models.runs import Run
from memories.models.trusted import new_id
from memories.values.trust import Trust

PURPOSES = {  # name of a prompt, as which a call is kept -> what the model was asked to do
    "task_chunking": _("read facts and tasks in a conversation"),
    "facts": _("read facts"),
    "skill_extraction": _("write a skill"),
    "skill_extraction_simple": _("write a skill in short"),
    "query_rewrite": _("put a task into the words of a search"),
    "script_generation": _("write the scripts of a skill"),
    "tool_generation": _("describe the tools of a skill"),
    "others_generation": _("write a document of a skill"),
    "need": _("judge which of it an agent needs"),
    "outcome": _("judge how a conversation ended"),
    "policies": _("read instructions for rules"),
    "contrast": _("compare a success with a failure"),
}
PENDING = "no answer was recorded: its worker ended, or it is under way"
CUT_OFF = "its worker ended before an answer was recorded"


def purpose_in_words(purpose: str) -> str:
    """What the model was asked to do, in the reader's language; the stored name of a purpose that is no longer used."""
    return str(PURPOSES.get(purpose, purpose.replace("_", " ")))


class LLMCallQuerySet(models.QuerySet["LLMCall"]):
    def visible_to(self, trust: Trust) -> Self:
        """The calls of runs that the caller may see, and those of no run."""
        return self.filter(Q(run=None) | Q(run__in=Run.objects.visible_to(trust)))


class LLMCall(models.Model):
    """One attempt. Tokens as the endpoint reported them, estimated where it did not; `error`: why its answer was of
    no use, '' if it was.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    purpose = models.CharField(max_length=64)
    model = models.CharField(max_length=255)
    tokens_in = models.IntegerField(default=0)
    tokens_out = models.IntegerField(default=0)
    tokens_reasoning = models.IntegerField(default=0)
    latency_ms = models.IntegerField(default=0)
    ok = models.BooleanField()
    error = models.TextField(blank=True)
    run = models.ForeignKey(Run, models.SET_NULL, null=True, related_name="llm_calls")
    at = models.DateTimeField()

    objects = LLMCallQuerySet.as_manager()
    FAILED = Q(ok=False) & ~Q(error=PENDING, run__status=Run.Status.RUNNING)

    class Meta:
        verbose_name = "model call"
        constraints = [
            models.CheckConstraint(
                condition=Q(tokens_in__gte=0, tokens_out__gte=0, tokens_reasoning__gte=0, latency_ms__gte=0),
                name="llm_call_counts_are_not_negative",
            ),
            models.CheckConstraint(
                condition=Q(ok=True, error="") | (Q(ok=False) & ~Q(error="")), name="llm_call_that_failed_says_why"
            ),
        ]
        indexes = [models.Index(fields=["-at"], name="llm_call_newest")]

    def __str__(self) -> str:
        return f"{self.purpose} {self.model} {'ok' if self.ok else self.error[:80]}"

    @property
    def is_under_way(self) -> bool:
        """Of a run that is under way."""
        return self.error == PENDING and self.run is not None and self.run.status == Run.Status.RUNNING
