"""The addresses of all pages on the demo team's store, by the names of the URL configuration."""

import json
from uuid import uuid4

from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from consolidation.models import BulkOrder, CommandAttempt, CommandFact, ImportFile, Run
from memories.models import Agent, AuditEntry, Episode, Memory, Subject
from memories.values.choices import LIVE, Status, Type
from memories.values.field_errors import format_instant
from memos_site import review
from memos_site.web import profile
from memos_site.web.inbox_rows import KINDS
from skills.models import Skill

PAGES = {
    *("inbox", "decided", "bulk-order", "memories", "memory", "evidence", "memory-as-of", "forget", "merge", "teach"),
    *("dismissed", "episodes", "episode", "skills", "skill_version", "edit_skill", "upload", "adaptations"),
    *("insights", "agents", "import", "import-file", "welcome", "people", "person", "profile", "search"),
    *("runs", "run", "login", "join", "tools", "agent", "outcomes", "known-elsewhere", "packs"),
    *("subjects", "subject", "helped", "stop-mails", "lessons", "places", "place"),
}
NO_PAGES = {
    *(
        "decide",
        "decide-proposal",
        "decide-run",
        "settle",
        "reveal",
        "lift",
        "revert",
        "undo",
        "bulk",
        "start-run",
    ),  # forms
    *("import-start", "start-backlog", "set-interval", "load-demo", "remove-demo", "rotate-agent", "revoke-agent"),
    "set-aside-agent",
    *("language", "logout", "restore_version", "merge_skill", "rename_skill", "teach-look", "dismiss-line"),
    *("decide-queue", "save-view", "change-view", "time-zone", "decide-tool", "judge", "take-back", "merge-subject"),
    *("edit", "pane", "proposal-pane", "bulk-line"),  # parts of the inbox, which shows them
    *("arrivals", "first-report", "unread"),  # parts of an agent's page and of an empty inbox, which show them
    *(
        "event-part",
        "package",
        "export-csv",
        "export-jsonl",
        "insights-csv",
        "pack-download",
        "agents-md",
        "harness-plugin",
    ),  # files
    *("mcp", "otlp-traces", "prometheus", "live", "ready"),  # programs
    "api-docs",  # Swagger UI's page
}
WITHOUT_SIGNING_IN = {"login", "join", "stop-mails"}


def addresses(person: User) -> dict[str, list[str]]:
    """Every page by its URL's name, at least once; the pages of rows once for each state that looks different."""
    memory = Memory.objects.filter(status=Status.CONFIRMED, type=Type.SEMANTIC).order_by("-times_confirmed")[0]
    skill = Skill.objects.filter(memory__status=Status.CONFIRMED).order_by("name")[0]
    moment = format_instant(memory.created_at)
    twins = Memory.objects.filter(scope=memory.scope, type=Type.SEMANTIC, status__in=LIVE).exclude(pk=memory.pk)
    return _lists(skill) | {
        "memory": [f"/memories/{one.pk}/" for one in _of_each_state()],
        "evidence": [f"/memories/{memory.pk}/evidence/"],
        "forget": [f"/memories/{memory.pk}/forget/"],
        "merge": [f"/memories/{memory.pk}/merge/?with={twins[0].pk}"],
        "memory-as-of": [f"/memories/{memory.pk}/as-of/?as_of={moment}", f"/memories/{memory.pk}/as-of/?as_of=soon"],
        "skill_version": [f"/skills/{skill.pk}/{version.number}/" for version in skill.versions.all()[:2]],
        "edit_skill": [f"/skills/{skill.pk}/edit/"],
        "episode": [f"/episodes/{one.pk}/" for one in Episode.objects.order_by("source", "pk").distinct("source")],
        "subject": [f"/subjects/{Subject.objects.order_by('name')[0].pk}/"],
        "helped": [f"/episodes/{Episode.objects.filter(outcome='failure').order_by('pk')[0].pk}/helped/"],
        "run": [f"/runs/{one.pk}/" for one in Run.objects.order_by("kind", "status").distinct("kind")],
        "import-file": [f"/import/{_uploaded(person).pk}/"],
        "agent": [f"/agents/{Agent.objects.order_by('created_at')[0].pk}/"],
        "bulk-order": [f"/bulk/{_ordered(person, memory).pk}/"],
        "person": [f"/people/{person.pk}/"],
        "join": [_invitation()],
        "stop-mails": [reverse("stop-mails", args=[profile.token(person.pk, alerts=False)])],
        "known-elsewhere": [f"/decided/{AuditEntry.objects.filter(action='dismiss').latest('at').batch_id}/elsewhere/"],
        "login": ["/login/"],
        "place": [_counted_place()],
    }


def _counted_place() -> str:
    """A place where a command starts."""
    fact = CommandFact.objects.create(scope="", sensitivity=1, place="acme/shop", purpose="build", due=False)
    rows = [
        CommandAttempt(fact=fact, form="make", episode_id=uuid4(), case=uuid4(), at=timezone.now(), started=True)
        for _ in range(3)
    ]
    CommandAttempt.objects.bulk_create(rows)
    return "/places/one/?name=acme%2Fshop"


def _ordered(person: User, memory: Memory) -> BulkOrder:
    """A bulk decision that has ended, with a row that was left."""
    order = review.order(person, {memory.pk: ""}, "dismiss", why="noise", at=timezone.now())
    Run.objects.filter(pk=order.run.pk).update(status=Run.Status.SUCCEEDED, done=1)
    order.record(
        memory.pk, done=0, refused=[{"id": str(memory.pk), "code": "conflict", "detail": "this cannot be undone"}]
    )
    return order


def _lists(skill: Skill) -> dict[str, list[str]]:
    return {
        "inbox": ["/", *(f"/?kind={kind}" for kind in KINDS), "/?scope=nowhere"],
        "decided": ["/decided/"],
        "memories": ["/memories/?q=parcel"],
        "teach": ["/memories/teach/"],
        "dismissed": ["/dismissed/", "/dismissed/?lifted=1"],
        "episodes": ["/episodes/"],
        "outcomes": ["/outcomes/"],
        "subjects": ["/subjects/", "/subjects/?q=acme"],
        "skills": ["/skills/"],
        "lessons": ["/lessons/", "/lessons/?scope=nothing"],
        "tools": ["/skills/tools/", "/skills/tools/?q=nothing"],
        "upload": ["/skills/upload/"],
        "adaptations": ["/adaptations/", "/adaptations/?past=1"],
        "runs": ["/runs/"],
        "insights": ["/insights/"],
        "agents": ["/agents/"],
        "import": ["/import/"],
        "places": ["/places/"],
        "packs": ["/packs/", f"/packs/?scope={skill.scope}&skill={skill.name}"],
        "welcome": ["/welcome/"],
        "people": ["/people/"],
        "profile": ["/profile/"],
        "search": ["/search/?q=refund"],
    }


def _of_each_state() -> list[Memory]:
    """Memories of each status, skills and claims."""
    rows = Memory.objects.exclude(type=Type.EPISODIC).order_by("type", "status", "-times_confirmed")
    return list(rows.distinct("type", "status"))


def _uploaded(person: User) -> ImportFile:
    client = Client()
    client.force_login(person)
    lines = [json.dumps({"id": "one", "messages": [{"role": "user", "content": "Where is my parcel?"}]}), "{broken"]
    file = SimpleUploadedFile("runs.jsonl", "\n".join(lines).encode())
    client.post("/import/", {"file": file, "format": "conversations", "scope": "shop", "status": "keep"})
    return ImportFile.objects.get()


def _invitation() -> str:
    person = User.objects.create_user("ivy")
    words = [urlsafe_base64_encode(force_bytes(person.pk)), default_token_generator.make_token(person)]
    return reverse("join", args=words)
