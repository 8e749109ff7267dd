"""The page of packs: search what a scope knows and can, choose, see what an agent gets, download it as one zip."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from consolidation.models import Pack
from consolidation.packs import making
from memories.models.passage import with_words
from memories.people import permitted
from memories.values.choices import Permission
from memories.values.exceptions import Invalid, Lost
from memories.values.trust import Trust

MOST_CHOICES = 60  # memories, and skills, to choose from; a search finds the others
FORMER_PACKS = 12  # of the packs made before; the API lists all


@require_http_methods(["GET", "HEAD", "POST"])
def packs(request: HttpRequest) -> HttpResponse:
    """What was chosen so far comes as a form: an address has no room for some hundred ids."""
    return _page(request, request.POST or request.GET, _reader(request))


@require_POST
def download(request: HttpRequest) -> HttpResponseBase:
    """The zip of what was chosen; the page again with what is wrong."""
    trust, at, form = _reader(request), timezone.now(), request.POST
    scope = form.get("scope", "").strip()
    try:
        name = making.checked_name(form.get("name", "").strip())
        contents = making.chosen(scope, trust, at=at, memories=_ids(form), skills=form.getlist("skill"))
        about: dict[str, Any] = {
            "name": name,
            "scope": scope,
            "description": form.get("description", "").strip()[:1_000],
        }
        content = making.make(contents, trust, at=at, **about)
        if trust.may(Permission.REVIEW):
            making.keep(contents, trust, at=at, **about)
    except Invalid as invalid:
        wrong = "; ".join(error.detail for error in invalid.errors[:3])
        if any(error.code == "not_there" for error in invalid.errors):
            wrong = _(
                "Some of your selection is no longer believed or published. The rest is listed here: check it again."
            )
        return _page(request, form, trust, wrong=wrong, status=400)
    except Lost as lost:
        return _page(request, form, trust, wrong=str(lost), status=409)
    return HttpResponse(content, content_type="application/zip", headers=making.headers(name))


def _reader(request: HttpRequest) -> Trust:
    return permitted(request.user, Permission.READ, "making a pack needs the permission read")


def _ids(form: QueryDict) -> list[UUID]:
    """The chosen memories; what is no id was not on the page."""
    ids = []
    for text in form.getlist("memory")[: making.MOST]:
        try:
            ids.append(UUID(text))
        except ValueError:
            continue
    return ids


def _page(request: HttpRequest, form: QueryDict, trust: Trust, *, wrong: str = "", status: int = 200) -> HttpResponse:
    at, scope, words = timezone.now(), form.get("scope", "").strip(), _words(form)
    known, ids = making.known_in(scope, trust, at=at), _ids(form)
    chosen = list(known.filter(pk__in=ids))
    others = (with_words(known, words) if words else known).exclude(pk__in=ids)
    published, names = making.published_in(scope, trust), form.getlist("skill")
    chosen_skills = list(published.filter(name__in=names))
    skills = published.mentioning(words, every_status=False) if words else published
    context: dict[str, Any] = {
        "scope": scope,
        "q": words,
        "chosen": chosen,
        "others": others[:MOST_CHOICES],
        "most": MOST_CHOICES,
        "chosen_skills": chosen_skills,
        "other_skills": skills.exclude(name__in=names)[:MOST_CHOICES],
        "agent_gets": _block(chosen, chosen_skills),
        "name": form.get("name", "").strip() or slugify(scope.replace(":", "-"))[:64] or "pack",
        "description": form.get("description", ""),
        "wrong": wrong,
        "scopes": making.scopes_to_pack(trust, at=at) if not scope else [],
        "kept": Pack.objects.visible_to(trust).order_by("-created_at", "-pk")[:FORMER_PACKS],
    }
    return render(request, "consolidation/packs.html", context, status=status)


def _words(form: QueryDict) -> str:
    return form.get("q", "").strip()[:200]


def _block(memories: Sequence[Any], skills: Sequence[Any]) -> str:
    """What a new agent gets once people have confirmed it, as it reads it."""
    lines = [f"- {' '.join(memory.content.split())}" for memory in memories]
    ways = [f"- {skill.name}: {' '.join(skill.memory.content.split())}" for skill in skills]
    parts = [(_("What it knows"), lines), (_("Skills that it can load"), ways)]
    return "\n\n".join("\n".join([f"{title}:", *block_lines]) for title, block_lines in parts if block_lines)
