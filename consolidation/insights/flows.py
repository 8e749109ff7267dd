"""What happened on one day, by ranges of indexes over its time."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, Count, Exists, F, Func, IntegerField, OuterRef, Q, QuerySet, Sum, Value, When
from django.db.models.functions import Coalesce

from consolidation.models import LLMCall
from consolidation.models.daily_counts import LONGEST_LABEL, Counted
from consolidation.models.worth import SkillOffer
from memories.models import AuditEntry, Episode, Injection, Memory, Proposal
from memories.models.former_state import first_id_after
from memories.models.proposal import PROPOSAL
from memories.values.choices import ActorKind, Outcome, Sensitivity
from memories.values.trust import SHARED_SCOPES
from skills.models import SkillUse

BEFORE = timedelta(days=7)
ITEMS = "jsonb_array_length(jsonb_path_query_array(%(expressions)s, '$[*] ? ({condition})'))"
MOST_AGENTS = 20  # sources of runs that are counted by name on one day; the others together
OTHER_AGENTS = "*"
ARMS = ("with", "withheld", "without")  # what a run had of the store: something, nothing by lot, nothing
ENDED = {f"{arm}_{end}": (arm, end) for arm in ARMS for end in ("well", "ill")}
FLOWS = ("arrived", "decided", "retrieved", "offered", "used", "model", "verdicts", *ENDED)
DECISIONS = {
    "taken": ("promote", "publish", "accept"),
    "changed": ("revise",),
    "refused": ("dismiss", "reject"),
    "undone": ("undo",),
}


def flows(since: datetime, until: datetime) -> Iterator[Counted]:
    """The counts of what happened from `since` on, before `until`."""
    for count in (_arrived, _decided, _retrieved, _offered, _used, _model, _judged, _ended):
        yield from count(since, until)


def _groups(rows: QuerySet[Any], *columns: str, **sums: Any) -> Iterator[dict[str, Any]]:
    groups: Iterator[dict[str, Any]] = rows.order_by().values(*columns).annotate(**sums).iterator()
    return groups


def _arrived(since: datetime, until: datetime) -> Iterator[Counted]:
    """Knowledge and proposals that came in."""
    memories = Memory.objects.knowledge().filter(created_at__gte=since, created_at__lt=until)
    proposals = Proposal.objects.filter(opened_at__gte=since, opened_at__lt=until)
    for rows in (memories, proposals):
        for row in _groups(rows, "scope", "sensitivity", n=Count("pk")):
            yield "arrived", "", row["scope"], row["sensitivity"], row["n"]


def _decided(since: datetime, until: datetime) -> Iterator[Counted]:
    """Decisions of people, and claims that rules promoted. What a proposal changes of its memory is one with it."""
    trail = AuditEntry.objects.filter(at__gte=since, at__lt=until, subject_kind__in=("memory", PROPOSAL))
    label_of = {action: label for label, actions in DECISIONS.items() for action in actions}
    climbed = Q(actor_kind=ActorKind.SYSTEM, action="promote", subject_kind="memory")
    trail = trail.filter(Q(actor_kind=ActorKind.PERSON, action__in=label_of) | climbed)
    in_batch = AuditEntry.objects.filter(subject_kind=PROPOSAL, batch_id=OuterRef(OuterRef("batch_id")))
    proposed = Proposal.objects.filter(
        Exists(in_batch.filter(subject_id=OuterRef("pk"))), memory=OuterRef("subject_id")
    )
    trail = trail.exclude(Exists(proposed), subject_kind="memory")
    for row in _groups(trail, "actor_kind", "action", "scope", "sensitivity", n=Count("pk")):
        by_person = row["actor_kind"] == ActorKind.PERSON
        label = label_of[row["action"]] if by_person else "climbed"
        yield "decided", label, row["scope"], row["sensitivity"], row["n"]


def _retrieved(since: datetime, until: datetime) -> Iterator[Counted]:
    """Contexts that agents were given, and those among them with at least one memory."""
    rows = Injection.objects.filter(at__gte=since, at__lt=until)
    for row in _groups(rows, "scope", "sensitivity", n=Count("pk"), hits=Count("pk", filter=~Q(items=[]))):
        yield "retrieved", "all", row["scope"], row["sensitivity"], row["n"]
        yield "retrieved", "hit", row["scope"], row["sensitivity"], row["hits"]


def _offered(since: datetime, until: datetime) -> Iterator[Counted]:
    """What contexts held, and what of it only one other agent had said."""
    rows = Injection.objects.filter(at__gte=since, at__lt=until).exclude(items=[])
    conditions = {"reviewed": "@.unreviewed == false", "unreviewed": "@.unreviewed == true"}
    sums = {label: Sum(_items(condition)) for label, condition in conditions.items()}
    for row in _groups(rows, "scope", "sensitivity", **sums):
        for label in sums:
            yield "offered", label, row["scope"], row["sensitivity"], row[label]


def _items(condition: str) -> Func:
    """The number of items of a context that meet a condition of a JSON path."""
    return Func("items", template=ITEMS.format(condition=condition), output_field=IntegerField())


def _used(since: datetime, until: datetime) -> Iterator[Counted]:
    """Reported uses of skills, by outcome."""
    uses = SkillUse.objects.filter(at__gte=since, at__lt=until)
    of_memory = {"scope": "skill__memory__scope", "sensitivity": "skill__memory__sensitivity"}
    for row in _groups(uses, "outcome", *of_memory.values(), n=Count("pk")):
        yield "used", Outcome(row["outcome"]).value, row[of_memory["scope"]], row[of_memory["sensitivity"]], row["n"]


def _judged(since: datetime, until: datetime) -> Iterator[Counted]:
    """Verdicts of runs of which nobody had said how they ended, and that others are like. Of runs that came in within
    BEFORE: no index begins with the time of a verdict, and ids do with theirs."""
    recent = Episode.objects.filter(pk__gt=first_id_after(since - BEFORE), pk__lt=first_id_after(until))
    judged = recent.filter(verdict_at__gte=since, verdict_at__lt=until, verdict__in=("low", "medium", "high"))
    said_since = Q(outcome_others={}, outcome_at__gt=F("verdict_at"))
    rows = judged.filter(Q(outcome=None) | Q(outcome_counts=False) | said_since)
    for row in _groups(rows, "verdict", "scope", "memory__sensitivity", n=Count("pk")):
        yield "verdicts", row["verdict"], row["scope"], row["memory__sensitivity"], row["n"]


def _model(since: datetime, until: datetime) -> Iterator[Counted]:
    """Tokens and calls of the language model. A call of no run tells nothing of a row."""
    calls = LLMCall.objects.filter(at__gte=since, at__lt=until).annotate(
        scope=Coalesce(F("run__scope"), Value("")),
        sensitivity=Coalesce(F("run__sensitivity"), Value(int(Sensitivity.PUBLIC))),
    )
    sums = {
        "tokens_read": Sum("tokens_in"),
        "tokens_written": Sum("tokens_out"),
        "calls": Count("pk"),
        "failed": Count("pk", filter=Q(ok=False)),
    }
    for row in _groups(calls, "scope", "sensitivity", **sums):
        for label in sums:
            yield "model", label, row["scope"], row["sensitivity"], row[label]


def _ended(since: datetime, until: datetime) -> Iterator[Counted]:
    """Runs that came in within BEFORE and whose end became known, by source: `with_*` had a context with a memory or
    was offered a skill, `withheld_*` did without by lot, `without_*` had neither."""
    runs = Episode.objects.filter(outcome__in=(Outcome.SUCCESS, Outcome.FAILURE), outcome_counts=True)
    runs = runs.filter(pk__gt=first_id_after(since - BEFORE), outcome_at__gte=since, outcome_at__lt=until)
    contexts = Injection.objects.filter(at__gte=since - BEFORE, at__lt=until).exclude(items=[]).exclude(thread_id="")
    of_run = ~Q(thread_id="") | Q(episode_id=OuterRef("pk"))  # one without a thread is known by its id
    of_thread = {"scope": OuterRef("scope"), "thread_id": Coalesce(OuterRef("thread_id"), Value(""))}
    offers = SkillOffer.objects.filter(of_run, **of_thread)
    shared = contexts.filter(scope__in=SHARED_SCOPES)  # those of a caller that named no scope among them
    had = Q(thread_id__in=shared.values("thread_id")) | Exists(contexts.filter(**of_thread))
    arm = Case(
        When(Exists(offers.filter(withheld=True)), then=Value("withheld")),
        When(had | Exists(offers.filter(withheld=False)), then=Value("with")),
        default=Value("without"),
    )
    columns = ("arm", "outcome", "source", "scope", "memory__sensitivity")
    rows = list(_groups(runs.annotate(arm=arm), *columns, n=Count("pk")))
    sizes: Counter[str] = Counter()
    for row in rows:
        sizes[row["source"][:LONGEST_LABEL]] += row["n"]
    named = {source for source, _n in sizes.most_common(MOST_AGENTS)}
    for row in rows:
        name = f"{row['arm']}_{'well' if row['outcome'] == Outcome.SUCCESS else 'ill'}"
        source = row["source"][:LONGEST_LABEL]
        label = source if source in named else OTHER_AGENTS
        yield name, label, row["scope"], row["memory__sensitivity"], row["n"]
