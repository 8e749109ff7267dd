"""Enums that several models share. The stored values are those of the API."""

from django.db.models import IntegerChoices, TextChoices


class Type(TextChoices):
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    WORKING = "working"
    COMPETENCE = "competence"
    PLAN_GRAPH = "plan_graph"


EXPERIENCE = (Type.EPISODIC, Type.WORKING)  # no claims, never in the inbox


class Category(TextChoices):
    PREFERENCE = "preference"
    PATTERN = "pattern"
    FACT = "fact"
    CONTACT = "contact"
    WORKFLOW = "workflow"


class Origin(TextChoices):
    """How a memory came in; `taught` = a person's own words."""

    OBSERVED = "observed"
    STORED = "stored"
    TAUGHT = "taught"
    DETECTED = "detected"
    CONSOLIDATED = "consolidated"
    EXTRACTED = "extracted"
    IMPORTED = "imported"

    @classmethod
    def of_rules(cls) -> "frozenset[Origin]":
        """The origins whose sentences are made by rules: two of these that differ in one word are different claims."""
        return frozenset({cls.DETECTED, cls.CONSOLIDATED})


class Status(TextChoices):
    CANDIDATE = "candidate"
    CONFIRMED = "confirmed"
    APPLIED = "applied"
    CONTESTED = "contested"
    DISMISSED = "dismissed"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"


BELIEVED = (Status.CONFIRMED, Status.APPLIED)  # statuses that reads return by default
UNDECIDED = (Status.CANDIDATE, Status.CONTESTED)
LIVE = (Status.CANDIDATE, Status.CONFIRMED, Status.APPLIED, Status.CONTESTED)


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
    FLOOR = "floor"
    FIXED = "fixed"


class DeletionPolicy(TextChoices):
    AUTO_PRUNE = "auto_prune"
    MANUAL_ONLY = "manual_only"
    NEVER = "never"


class Outcome(TextChoices):
    SUCCESS = "success"
    FAILURE = "failure"
    PARTIAL = "partial"


class RevertReason(TextChoices):
    """Why an adaptation ended."""

    USER_REVERT = "user_revert"
    DISMISSED = "dismissed"
    FORGOTTEN = "forgotten"
    EXPIRED = "expired"
    DEMOTED = "demoted"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    CONTESTED = "contested"

    @classmethod
    def of(cls, status: str) -> "RevertReason":
        """The reason for a memory that left applied for this status."""
        return cls(status) if status in cls.values else cls.DEMOTED


class ActorKind(TextChoices):
    PERSON = "person"
    AGENT = "agent"
    SYSTEM = "system"


class Permission(TextChoices):
    """What a token may do; `review` is never given by default."""

    READ = "read"
    INGEST = "ingest"
    REPORT = "report"
    SKILLS = "skills"
    REVIEW = "review"


SYSTEM_ROLES = ("system", "developer")  # messages by the operator of the agent, not by its user
