"""Tables of policies: conditions on a call that a language model read in agents' instructions, and what was read."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from django.db import models
from django.db.models import F
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from consolidation.learning.facts.call_rules import CallRule, Condition
from memories.models import Memory
from memories.models.trusted import Trusted
from memories.transfer.options import ImportedMemory
from memories.values import conditions
from memories.values.choices import BELIEVED, Origin, Status
from memories.values.text import detect_lang
from memories.values.trust import Trust

SOURCE = "policies"
MOST_FAILURES = 3  # of the model at one text; then it is left
GROWTH = 10  # a text is read again when its scope has so many times the runs: they call tools that no run had called
MOST_CHECKED = 50  # policies of one tool
MOST_QUOTES = 200  # of one scope, the latest
EXPORTED = ("tool", "conditions", "words", "calling", "well", "ill")


def is_policy(memory: Memory) -> bool:
    return memory.origin in (Origin.CONSOLIDATED, Origin.IMPORTED) and memory.source == SOURCE


class PolicyQuerySet(Trusted["Policy"]):
    trust_path = "memory__"

    def in_force(self, tool: str, trust: Trust, *, at: datetime) -> Self:
        """Those about this tool that people accepted as they were written, and that the caller may be offered then."""
        valid = self.filter(conditions.valid(at).q("memory__"), tool=tool)
        policies = valid.filter(memory__status__in=BELIEVED, memory__content=F("words"))
        return policies.offered_to(trust, "memory__").select_related("memory").order_by("pk")[:MOST_CHECKED]

    def quotes(self, scope: str) -> list[str]:
        """The quotes of instructions behind the rules of this scope, of dismissed rules too."""
        with_quote = self.filter(memory__scope=scope, memory__evidence__snapshot__gt="").order_by("-pk")
        with_quote = with_quote.exclude(memory__status__in=(Status.SUPERSEDED, Status.RETRACTED))
        return list(with_quote.values_list("memory__evidence__snapshot", flat=True)[:MOST_QUOTES])

    def beside(self, policy: "Policy") -> list["Policy"]:
        """Other rules, waiting or in force with unchanged words, that test the same for other values."""
        statuses = (Status.CANDIDATE, *BELIEVED)
        rows = self.filter(tool=policy.tool, memory__scope=policy.memory.scope, memory__status__in=statuses)
        rows = rows.filter(memory__content=F("words")).exclude(pk=policy.pk).select_related("memory")
        return [row for row in rows.order_by("pk")[:MOST_CHECKED] if row.rule.tests == policy.rule.tests]


class Policy(models.Model):
    """A rule of agents' instructions about calls of one tool; its memory is decided, found and forgotten like any
    other, and nothing is checked before a person has accepted it.

    `words`: the rule as it was written; a memory that says something else was corrected by a person, and is no longer
    checked. `calling`: recorded cases that called the tool and show whether that broke the rule; `well` and `ill`:
    those that did, by whether they ended well.
    """

    memory = models.OneToOneField(Memory, models.CASCADE, primary_key=True, related_name="policy")
    tool = models.CharField(max_length=200, db_index=True)
    conditions = models.JSONField()
    words = models.TextField()
    calling = models.IntegerField()
    well = models.IntegerField()
    ill = models.IntegerField()

    objects = PolicyQuerySet.as_manager()

    def __str__(self) -> str:
        return self.words

    @property
    def rule(self) -> CallRule:
        return CallRule(self.tool, tuple(map(Condition.of_row, self.conditions)))

    @property
    def conditions_in_words(self) -> list[str]:
        """In the language in which the rule was written."""
        language = detect_lang(self.words)
        return [condition.in_words(language) for condition in self.rule.conditions]

    @property
    def is_corrected(self) -> bool:
        return self.memory.content != self.words

    @property
    def is_checked(self) -> bool:
        return self.memory.status in BELIEVED and not self.is_corrected

    @property
    def quote(self) -> str:
        """The words of the instructions that it was read in; '' where they are not kept."""
        quotes = self.memory.evidence.exclude(snapshot="").order_by("at")
        return quotes.values_list("snapshot", flat=True).first() or ""

    @property
    def measured(self) -> str:
        """Where it was read, and what recorded runs say of it, in sentences of the reader's language."""
        quote = self.quote.rstrip(".。")
        reading = _("The instructions say: “%(quote)s”.") % {"quote": quote} if quote else ""
        return " ".join(filter(None, [reading, self._counts()]))

    def _counts(self) -> str:
        if not self.well + self.ill:
            sentence = ngettext(
                "%(calling)d recorded case called the tool; it did not break the rule.",
                "%(calling)d recorded cases called the tool; none broke the rule.",
                self.calling,
            )
            return sentence % {"calling": self.calling}
        sentence = ngettext(
            "%(calling)d recorded case called the tool and broke the rule; ended well: %(well)d, did not: %(ill)d.",
            "%(calling)d recorded cases called the tool; of those that broke the rule %(well)d ended well and %(ill)d "
            "did not.",
            self.calling,
        )
        return sentence % {"calling": self.calling, "well": self.well, "ill": self.ill}


def exported(memories: Sequence[Memory]) -> dict[UUID, dict[str, Any]]:
    """The rules of those of these memories that are policies, as an export writes them."""
    ids = [memory.pk for memory in memories if is_policy(memory)]
    rows = Policy.objects.filter(pk__in=ids) if ids else ()
    return {row.pk: {"policy": {name: getattr(row, name) for name in EXPORTED}} for row in rows}


def keep_imported(imports: Sequence[ImportedMemory]) -> None:
    """Give imported policies their rules; each is checked once its memory is accepted here."""
    policies = (
        (imported_memory.memory, imported_memory.record.policy)
        for imported_memory in imports
        if imported_memory.record.policy and is_policy(imported_memory.memory)
    )
    Policy.objects.bulk_create(Policy(memory=memory, **record.model_dump()) for memory, record in policies)


class InstructionReadingQuerySet(models.QuerySet["InstructionReading"]):
    def of(self, scope: str, fingerprint: str) -> "InstructionReading":
        """The row of a text, or a new one that is not stored."""
        return self.filter(scope=scope, fingerprint=fingerprint).first() or InstructionReading(
            scope=scope, fingerprint=fingerprint
        )


class InstructionReading(models.Model):
    """That the instructions of a scope's agents were read for policies: each text once, however many runs carry it.

    `runs`: how many finished runs the scope had then; 0: it was not read yet. `failures`: questions about it without a
    usable answer.
    """

    scope = models.CharField(max_length=128, blank=True)
    fingerprint = models.CharField(max_length=64)
    runs = models.IntegerField(default=0)
    failures = models.SmallIntegerField(default=0)
    at = models.DateTimeField(null=True)

    objects = InstructionReadingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scope", "fingerprint"], name="instructions_are_read_once_in_a_scope"),
        ]

    def __str__(self) -> str:
        return f"{self.fingerprint[:8]} in {self.scope or 'no scope'}"

    def is_due(self, runs: int) -> bool:
        """Whether it is to be read, in a scope with so many finished runs."""
        return self.failures < MOST_FAILURES and (not self.runs or runs >= GROWTH * self.runs)

    def failed(self, *, at: datetime) -> None:
        self._keep(failures=self.failures + 1, at=at)

    def done(self, runs: int, *, at: datetime) -> None:
        self._keep(runs=runs, failures=0, at=at)

    def _keep(self, **fields: object) -> None:
        InstructionReading.objects.update_or_create(fields, scope=self.scope, fingerprint=self.fingerprint)
