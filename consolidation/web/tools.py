"""The page of tools: which of them the agents' runs called, whether each only reads and why; a person decides it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from consolidation.learning.effects.tool_rules import ToolRules
from consolidation.learning.effects.toolnames import name_tells
from consolidation.models import ToolUse
from consolidation.models.tool_decisions import CalledTool, ToolDecision, called_tool, called_tools
from consolidation.pipelines.recorded import read_only_hints
from consolidation.pipelines.tool_rules import tool_rules
from memories.models import Episode, Memory
from memories.people import trust_of
from memories.values.choices import Permission, Type
from memories.values.exceptions import Conflict
from memories.values.trust import Trust
from memories.web.paging import NEWEST, next_page

MOST_TOOLS = 100  # of a page
MOST_ASKED = 5  # questions at a time
MOST_READ = 100  # newest episodes whose callers' declarations are read
LONGEST_NAME = 512
DECISIONS = {"reads": True, "acts": False, "": None}


@dataclass(frozen=True)
class Row:
    """A tool with what it counts as (`reads`, `acts`, `commands`, `operations` or `nothing`) and why."""

    called: CalledTool
    counts_as: str
    why: str
    decision: ToolDecision | None

    @property
    def state(self) -> str:
        return self.decision.state if self.decision else ""

    @property
    def is_decidable(self) -> bool:
        return self.counts_as in ("reads", "acts", "operations")


@require_safe
def tools(request: HttpRequest) -> HttpResponse:
    trust, words = trust_of(request.user), request.GET.get("q", "").strip()[:LONGEST_NAME]
    after = request.GET.get("after", "")[:LONGEST_NAME]
    called = called_tools(trust, after=after, words=words, most=MOST_TOOLS + 1)
    shown = called[:MOST_TOOLS]
    decisions = {
        decision.tool: decision for decision in ToolDecision.objects.filter(tool__in=[tool.name for tool in shown])
    }
    declared, rules = _declared(trust), tool_rules(decided={})
    context = {
        "rows": [_row(tool, rules, declared, decisions.get(tool.name)) for tool in shown],
        "filters": {"q": words},
        "after": after,
        "asked": list(ToolUse.objects.asked(trust)[:MOST_ASKED]) if decides_about_tools(trust) else [],
        "next": shown[-1].name if len(called) > MOST_TOOLS else "",
        "decides": decides_about_tools(trust),
    }
    return render(request, "consolidation/tools.html", context)


def _row(called: CalledTool, rules: ToolRules, declared: Mapping[str, bool], decision: ToolDecision | None) -> Row:
    name = called.name.strip()
    if name in rules.ignored:
        return Row(called, "nothing", "ignored", decision)
    if rules.hands_over(name):
        return Row(called, "nothing", "handover", decision)
    if rules.runs_commands(name):
        return Row(called, "commands", "commands", decision)
    if decision and decision.only_reads is not None:
        return Row(called, decision.state, "person", decision)
    return Row(called, *_undecided(called, name, rules, declared), decision)


def _undecided(called: CalledTool, name: str, rules: ToolRules, declared: Mapping[str, bool]) -> tuple[str, str]:
    if called.does_many and not declared.get(name):
        return "operations", "operations"
    if name in declared:
        return "reads" if declared[name] else "acts", "declared"
    if rules.reads(name):
        return "reads", "behaviour" if name in rules.marked else "name"
    return "acts", "verb" if name_tells(name) else "unknown"


def _declared(trust: Trust) -> dict[str, bool]:
    """What the callers of the newest runs that the reader may see declared, in the runs' order."""
    rows = Memory.objects.visible_to(trust).filter(type=Type.EPISODIC).order_by(*NEWEST).values("pk")[:MOST_READ]
    newest = Episode.objects.filter(pk__in=list(rows.values_list("pk", flat=True))).only("pk", "environment")
    return read_only_hints(newest.order_by("closed_at", "pk"))


def decides_about_tools(trust: Trust) -> bool:
    """A decision holds in every scope."""
    return trust.may(Permission.REVIEW) and trust.scopes is None


@require_POST
def decide_tool(request: HttpRequest) -> HttpResponse:
    """Decide about the tool of the form; `seen`: the state that was shown."""
    trust, tool = trust_of(request.user), request.POST.get("tool", "")
    if not decides_about_tools(trust):
        raise PermissionDenied("deciding about tools needs the permission review in every scope")
    decision = request.POST.get("decision", "-")
    called = called_tool(trust, tool) if decision in DECISIONS else None
    if called is None:
        raise Http404
    facts: dict[str, Any] = {"seen": request.POST.get("seen", ""), "sensitivity": called.sensitivity}
    try:
        ToolDecision.objects.decide(tool, DECISIONS[decision], by=trust.actor, at=timezone.now(), **facts)
    except Conflict:
        messages.warning(request, _("Too late: somebody decided about %(tool)s meanwhile.") % {"tool": tool})
    else:
        messages.success(request, _said(decision) % {"tool": tool})
    return redirect(next_page(request) or "tools")


def _said(decision: str) -> str:
    return {
        "reads": _("%(tool)s counts as read-only, from the next consolidation on"),
        "acts": _("%(tool)s counts as changing something, from the next consolidation on"),
        "": _("%(tool)s is classified by its name and its callers again"),
    }[decision]
