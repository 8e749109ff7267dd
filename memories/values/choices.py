"""Enums that several models share. The stored values are those of the API."""

from django.db.models import IntegerChoices, TextChoices
from django.utils.translation import gettext_lazy as _


class Type(TextChoices):
    EPISODIC = "episodic", _("Episodic")
    SEMANTIC = "semantic", _("Semantic")
    WORKING = "working", _("Working")
    COMPETENCE = "competence", _("Competence")
    PLAN_GRAPH = "plan_graph", _("Plan Graph")


EXPERIENCE = (Type.EPISODIC, Type.WORKING)  # no claims, never in the inbox


class Category(TextChoices):
    PREFERENCE = "preference", _("Preference")
    PATTERN = "pattern", _("Pattern")
    FACT = "fact", _("Fact")
    CONTACT = "contact", _("Contact")
    WORKFLOW = "workflow", _("Workflow")


class Origin(TextChoices):
    """How a memory was created; `taught`: in a person's own words."""

    OBSERVED = "observed", _("Observed")
    STORED = "stored", _("Stored")
    TAUGHT = "taught", _("Taught")
    DETECTED = "detected", _("Detected")
    CONSOLIDATED = "consolidated", _("Consolidated")
    EXTRACTED = "extracted", _("Extracted")
    IMPORTED = "imported", _("Imported")

    @classmethod
    def of_rules(cls) -> "frozenset[Origin]":
        """The origins whose sentences are made by rules: two of these that differ in one word are different claims."""
        return frozenset({cls.DETECTED, cls.CONSOLIDATED})


class Status(TextChoices):
    CANDIDATE = "candidate", _("Candidate")
    CONFIRMED = "confirmed", _("Confirmed")
    APPLIED = "applied", _("Applied")
    CONTESTED = "contested", _("Contested")
    DISMISSED = "dismissed", _("Dismissed")
    SUPERSEDED = "superseded", _("Superseded")
    RETRACTED = "retracted", _("Retracted")


BELIEVED = (Status.CONFIRMED, Status.APPLIED)  # statuses that reads return by default
UNDECIDED = (Status.CANDIDATE, Status.CONTESTED)
LIVE = (Status.CANDIDATE, Status.CONFIRMED, Status.APPLIED, Status.CONTESTED)


class Review(TextChoices):
    """Who stands behind a claim: a person who decided it, several agents, or one agent alone."""

    PERSON = "person", _("Decided by a person")
    AGENTS = "agents", _("Said by several agents")
    ONE_AGENT = "one_agent", _("Reported by one agent, not reviewed")


REASONS = ("wrong", "stale", "duplicate", "sensitive", "noise", "other")  # of a dismissal; a note may follow it


class Sensitivity(IntegerChoices):
    """Sensitivity levels: names in the API, integers in the database, so that a clearance is one comparison."""

    PUBLIC = 0, "public"
    LOW = 1, "low"
    MEDIUM = 2, "medium"
    HIGH = 3, "high"
    HYPER = 4, "hyper"

    @classmethod
    def named(cls, name: str) -> "Sensitivity":
        return cls[name.upper()]


class Hold(TextChoices):
    """What rules may no longer do to a row: `floor` forbids lowering it, `fixed` forbids any change."""

    NONE = ""
    FLOOR = "floor", _("Floor")
    FIXED = "fixed", _("Fixed")


class DeletionPolicy(TextChoices):
    AUTO_PRUNE = "auto_prune", _("Auto Prune")
    MANUAL_ONLY = "manual_only", _("Manual Only")
    NEVER = "never", _("Never")


class Outcome(TextChoices):
    SUCCESS = "success", _("Success")
    FAILURE = "failure", _("Failure")
    PARTIAL = "partial", _("Partial")


class OutcomeSource(TextChoices):
    """Where an outcome comes from. Where several differ, the first of this order wins; `none`: nothing is known."""

    PERSON = "person", _("A person")
    REPORTED = "reported", _("The agent")
    CHECKS = "checks", _("Its last checks")
    USER = "user", _("The user's words")
    MODEL = "model", _("A language model")
    NONE = "none", _("Nobody")

    @property
    def rank(self) -> int:
        """The higher rank wins."""
        return -list(OutcomeSource).index(self)

    @property
    def is_inferred(self) -> bool:
        """Whether it was inferred from the run rather than reported."""
        return self in INFERRED


INFERRED = (OutcomeSource.CHECKS, OutcomeSource.USER, OutcomeSource.MODEL)


class RevertReason(TextChoices):
    """Why an adaptation ended."""

    USER_REVERT = "user_revert", _("User Revert")
    DISMISSED = "dismissed", _("Dismissed")
    FORGOTTEN = "forgotten", _("Forgotten")
    EXPIRED = "expired", _("Expired")
    DEMOTED = "demoted", _("Demoted")
    SUPERSEDED = "superseded", _("Superseded")
    RETRACTED = "retracted", _("Retracted")
    CONTESTED = "contested", _("Contested")

    @classmethod
    def of(cls, status: str) -> "RevertReason":
        """The reason for a memory that left applied for this status."""
        return cls(status) if status in cls.values else cls.DEMOTED


class ActorKind(TextChoices):
    PERSON = "person", _("Person")
    AGENT = "agent", _("Agent")
    SYSTEM = "system", _("System")


class Permission(TextChoices):
    """What a token may do; `review` is never given by default. People have each as Django's permission
    `memories.use_NAME`."""

    READ = "read", _("Read")
    INGEST = "ingest", _("Ingest")
    REPORT = "report", _("Report")
    SKILLS = "skills", _("Skills")
    REVIEW = "review", _("Review")
