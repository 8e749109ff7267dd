"""Template tags of background runs: what a run counted, the lists that show it, and when a job comes next."""

from dataclasses import dataclass
from datetime import datetime

from django import template
from django.template import Context
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from consolidation import ordering
from consolidation.llm import tokens
from consolidation.models import LLMCall, Run
from consolidation.models.llm_calls import purpose_in_words
from memories.models import Proposal
from memories.people import trust_of
from memories.values.choices import Category, Permission, Type
from memos_site import review
from memos_site.templatetags.page import HOUR, MINUTE
from memos_site.web import action_words, reader
from memos_site.web.sentences import sentence
from memos_site.web.words import in_words

register = template.Library()

DAY = 86_400  # seconds
Filters = dict[str, str]
CLAIMS: Filters = {"type": Type.SEMANTIC}
PLANS: Filters = {"type": Type.PLAN_GRAPH}
SKILLS: Filters = {"type": Type.COMPETENCE}
LISTS: dict[str, tuple[str, Filters]] = {  # counter -> the page that lists such rows, with its filters
    "episodes_read": ("episodes", {}),
    "events_read": ("episodes", {}),
    "memories_compared": ("memories", CLAIMS),
    "facts_created": ("memories", CLAIMS),
    "facts_reinforced": ("memories", CLAIMS),
    "patterns_created": ("memories", CLAIMS | {"category": Category.PATTERN}),
    "plans_created": ("memories", PLANS),
    "plans_reinforced": ("memories", PLANS),
    "competences_created": ("memories", SKILLS),
    "competences_reinforced": ("memories", SKILLS),
    "skills_created": ("memories", SKILLS),
    "versions_proposed": ("inbox", {"kind": review.VERSION}),
    "merges_proposed": ("inbox", {"kind": Proposal.Kind.MERGE}),
    "conflicts_proposed": ("inbox", {"kind": Proposal.Kind.CONFLICT}),
    "suppressed": ("dismissed", {}),
}
IN_THE_TRAIL = {  # counters of rows whose audit entries name the run
    *("facts_created", "patterns_created", "plans_created", "competences_created", "skills_created"),
    *("versions_proposed", "policies_created", "not_needed"),
}
OF_ONE_SCOPE = ("extract", "contrast", "lessons")  # kinds of runs; the others work over all scopes
TRIGGERS = {
    Run.Trigger.SCHEDULE: gettext_lazy("by its schedule"),
    Run.Trigger.COMMAND: gettext_lazy("from the command line"),
    Run.Trigger.API: gettext_lazy("through the API"),
    Run.Trigger.PAGE: gettext_lazy("from a page"),
}
STEPS = {  # steps and stages of a run whose stored names are not what a reader would call them
    "facts": gettext_lazy("write down facts"),
    "chunks": gettext_lazy("find the tasks in it"),
    "outcome": gettext_lazy("judge how it ended"),
    "policies": gettext_lazy("read its instructions for rules"),
    "skills": gettext_lazy("write skills"),
}


@dataclass(frozen=True)
class Count:
    """One counter of a run.

    `trail`: the address of the rows that it counts, on the run's page; `url`: of the list of such rows in the run's
    scope. Each is '' where there is no such list.
    """

    name: str
    number: int
    url: str
    trail: str

    def __str__(self) -> str:
        return _("%(name)s: %(n)s") % {"name": self.name, "n": number_format(self.number, force_grouping=True)}


@register.filter
def counts(run: Run) -> list[Count]:
    """Return the counters of a run that are not 0."""
    trail = reverse("run", args=[run.pk]) + "#wrote"
    return [
        Count(in_words(name), n, _list_url(run, name), trail if name in IN_THE_TRAIL else "")
        for name, n in run.counters.items()
        if n
    ]


def _list_url(run: Run, counter: str) -> str:
    if run.kind == "bulk" and run.subject:
        return reverse("bulk-order", args=[run.subject])
    if counter == "set_aside":
        return reverse("runs") + "#set-aside"
    if counter not in LISTS:
        return ""
    page, filters = LISTS[counter]
    parameters = filters | ({"scope": run.scope} if run.scope and run.kind in OF_ONE_SCOPE else {})
    return reverse(page) + (f"?{urlencode(parameters)}" if parameters else "")


@register.simple_tag(takes_context=True)
def may_decide(context: Context, run: Run) -> bool:
    """Return whether the reader may pause, resume and retry a run; of one that acts for a person it is asked then."""
    trust = trust_of(context["request"].user)
    return trust.may(Permission.REVIEW) and ordering.works_in_scopes_of(run, trust)


@register.filter
def name_of_run(run: Run) -> str:
    """Return what a run does; of a bulk decision what was decided, where the query brought its order."""
    order = run.bulk_order if run.kind == "bulk" and hasattr(run, "bulk_order") else None
    return action_words.title_of_order(order) if order else run.title


@register.filter
def trigger_words(run: Run) -> str:
    """Return how a run was started, in words."""
    return str(TRIGGERS[Run.Trigger(run.trigger)])


@register.filter
def step_name(name: str) -> str:
    """Return what a step or stage of a run is called: one of STEPS, a numbered part or case, a scope or a word."""
    if name in STEPS:
        return str(STEPS[name])
    translation = sentence(name)
    return translation if translation != name else in_words(name)


register.filter("purpose", purpose_in_words)


@register.filter
def money(amount: float | None) -> str:
    """Return an amount in the currency of the prices, which the settings do not name; '' for None."""
    if amount is None:
        return ""
    return number_format(amount, decimal_pos=2 if amount >= 1 or not amount else 4, force_grouping=True)


@register.filter
def cost(row: Run | LLMCall) -> str:
    """Return what the tokens of a run or call cost, in words; '' without prices."""
    amount = tokens.cost(row.tokens_in, row.tokens_out)  # type: ignore[union-attr]
    return _("cost: %(amount)s") % {"amount": money(amount)} if amount is not None else ""


@register.filter
def ahead(at: datetime | None) -> SafeString | str:
    """Render a <time> that is to come, as `ago` does one that is past; '' for None."""
    if at is None:
        return ""
    return format_html('<time datetime="{}" title="{}">{}</time>', at.isoformat(), reader.absolute(at), _to_come(at))


def _to_come(at: datetime) -> str:
    seconds = (at - timezone.now()).total_seconds()
    if seconds < MINUTE:
        return _("any moment")
    if seconds < HOUR:
        return _("in %(n)d min") % {"n": round(seconds / MINUTE)}
    if seconds < DAY:
        return _("in %(n)d h") % {"n": round(seconds / HOUR)}
    return date_format(timezone.localtime(at), "SHORT_DATETIME_FORMAT")
