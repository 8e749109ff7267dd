"""The page that searches everything that its reader may see: memories, skills, episodes, agents."""

from dataclasses import dataclass, field
from typing import Any

from django.db.models import CharField, Q, QuerySet, Value
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.models import Agent
from memories.models.audit import SUBJECT
from memories.people import trust_of
from memories.search.results import Result
from memories.search.run import find_by_kind
from memories.search.subjects import subjects
from memories.values.choices import Permission, Type
from memories.values.trust import Trust
from memos_site.web.responses import by_htmx
from skills.models import Skill

LONGEST_QUESTION = 1_000
MOST_OF_A_KIND, MOST_SHOWN, MOST_NAMES = 12, 8, 8


@dataclass
class Answer:
    """What matches, by kind. `names`: skills, subjects and agents whose name holds the text: (kind, id, name)."""

    memories: list[Result] = field(default_factory=list)
    skills: list[Result] = field(default_factory=list)
    episodes: list[Result] = field(default_factory=list)
    names: list[tuple[str, str, str]] = field(default_factory=list)
    degraded: tuple[str, ...] = ()

    @property
    def subjects(self) -> list[tuple[str, str, str]]:
        return [name for name in self.names if name[0] == SUBJECT]

    @property
    def others(self) -> list[tuple[str, str, str]]:
        return [name for name in self.names if name[0] != SUBJECT]

    @property
    def is_empty(self) -> bool:
        return not (self.memories or self.skills or self.episodes or self.names)


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """A plain form; with scripts the results follow what is typed."""
    words = " ".join(request.GET.get("q", "").split())[:LONGEST_QUESTION]
    trust = trust_of(request.user)
    context: dict[str, Any] = {"words": words, "found": _answer(words, trust) if words else None}
    return render(request, "search/_found.html" if by_htmx(request) else "search/search.html", context)


def _answer(words: str, trust: Trust) -> Answer:
    by_kind = find_by_kind(words, trust=trust, at=timezone.now(), limit=MOST_OF_A_KIND)
    skills = [result for result in by_kind.knowledge if result.memory.type == Type.COMPETENCE]
    skill_ids = {str(skill.memory.pk) for skill in skills}
    names = [name for name in _names(words, trust) if name[1] not in skill_ids]
    memories = [result for result in by_kind.knowledge if result not in skills]
    return Answer(
        memories[:MOST_SHOWN],
        skills[:MOST_SHOWN],
        by_kind.episodes[:MOST_SHOWN],
        names,
        degraded=by_kind.degraded,
    )


def _names(words: str, trust: Trust) -> list[tuple[str, str, str]]:
    """(kind, id, name) of the skills, the subjects and, for reviewers, the agents whose name contains the text."""
    slug = words.replace(" ", "-")
    skills = Skill.objects.visible_to(trust).filter(Q(name__icontains=slug) | Q(title__icontains=words))
    rows = _name_rows(skills, "skill", "pk", "name")[:MOST_NAMES]
    subject_rows = subjects(trust, at=timezone.now(), words=words)
    rows = rows.union(_name_rows(subject_rows, SUBJECT, "pk", "title")[:MOST_NAMES], all=True)
    if trust.may(Permission.REVIEW):
        agents = Agent.objects.visible_to(trust).unrevoked().filter(name__icontains=words)
        rows = rows.union(_name_rows(agents, "agent", "pk", "name")[:MOST_NAMES], all=True)
    return [(kind, id, name) for kind, id, name in rows]


def _name_rows(rows: QuerySet[Any], kind: str, id: str, name: str) -> QuerySet[Any, Any]:
    kinds, ids = Value(kind, output_field=CharField()), Cast(id, CharField())
    return rows.order_by(name).values_list(kinds, ids, Cast(name, CharField()))
