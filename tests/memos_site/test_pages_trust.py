"""A walk through every page: none tells of a row that its reader may not see.

People see every scope; clearance is medium unless a permission says more. A failure names its seed to draw again."""

import re
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from consolidation.models import Pattern, Run
from memories.models import Episode, Memory, Proposal
from memories.models.subject import subject_id
from memories.people import trust_of
from memories.values.choices import Sensitivity, Status, Type
from memories.values.field_errors import format_instant
from memories.values.trust import Trust
from memos_site.web.inbox_rows import KINDS
from skills.models import SkillVersion
from tests.make import AT, bytes_of, make_memory, make_person
from tests.memos_site.revised_pairs import make_pair
from tests.memos_site.test_api_trust import NOTHING, Secret, make_secret
from tests.shared_rows import shared_rows_of_seeds

pytestmark = [pytest.mark.django_db, pytest.mark.slow]  # all pages there are, as several readers
SEEDS, SECRETS, PAIRS, READERS = range(2), 6, 10, 3
SCOPES = ["", "global", "project:alpha", "project:beta"]
PLANS = {"sensitivity": Sensitivity.HIGH, "type": Type.PLAN_GRAPH}
LISTS = {
    "subjects": ["", "?q=corp"],
    "inbox": ["", *(f"?kind={kind}" for kind in KINDS), "?scope=project:alpha", "?source=P01", "?category=fact"],
    "memories": [
        "",
        "?status=candidate",
        "?status=dismissed",
        "?type=semantic",
        "?type=working",
        "?scope=project:beta",
        "?source=P01",
        "?q=secret",
    ],
    "dismissed": ["", "?lifted=1"],
    "episodes": ["", "?outcome=unknown", "?source=Memos", "?scope=project:alpha"],
    "adaptations": ["", "?past=1", "?plugin=P01"],
    "skills": ["", "?status=candidate", "?status=confirmed"],
    "runs": [""],
}
NOT_ABOUT_ROWS = {"login", "logout", "live", "ready", "api-docs", "upload", "start-run", "language"}
TESTED_ELSEWHERE = {
    *("insights", "insights-csv", "welcome", "load-demo", "remove-demo", "set-interval", "mcp", "otlp-traces"),
    *("prometheus", "agents", "rotate-agent", "revoke-agent", "import", "import-file", "import-start", "pack-download"),
    *("start-backlog", "decide-queue", "decided", "save-view", "change-view", "people", "person", "join", "profile"),
    *("bulk-order", "bulk-line", "time-zone", "tools", "decide-tool", "agent", "known-elsewhere", "packs"),
    *("set-aside-agent", "stop-mails", "lessons", "places", "place", "agents-md", "dismiss-line"),
}
WITH_A_TEST_BELOW = {
    *("search", "bulk", "teach", "teach-look", "outcomes", "judge", "arrivals", "harness-plugin"),
    *("export-csv", "export-jsonl", "first-report", "unread"),
}


def of_one(secret: Secret, skill: Any) -> dict[str, list[tuple[str, dict[str, str] | None]]]:
    """Every page of one row: its address -> what is asked of it, with the form that is sent or None."""
    memory, episode = f"/memories/{secret.memory}/", f"/episodes/{secret.episode}/"
    run = Run.objects.filter(error=secret.word).values_list("pk", flat=True).first() or uuid4()
    verbs = ("promote", "promote applied", "dismiss wrong", "restore", "demote", "snooze tomorrow", "pin", "edit")
    return {
        "memory": [(memory, None), (f"/memories/{secret.episode}/", None), (f"{memory}?x=1", None)],
        "memory-as-of": [
            (f"{memory}as-of/?as_of={at}", None) for at in ("", "2026-03-01T12:00:00Z", "2026-05-01T12:00")
        ],
        "evidence": [(f"{memory}evidence/", None)],
        "edit": [(f"{memory}edit/", None)],
        "pane": [(f"{memory}pane/", None)],
        "proposal-pane": [(f"/proposals/{secret.proposal}/pane/", None)],
        "settle": [(f"{memory}settle/", {"keep": str(secret.memory), "against": str(secret.episode)})],
        "merge": [(f"{memory}merge/", None), (f"{memory}merge/", {"with": str(secret.episode), "content": "x"})],
        "forget": [(f"{memory}forget/", None), (f"{memory}forget/", {"why": "x"})],
        "reveal": [(f"{memory}reveal/", {}), (f"/memories/{secret.episode}/reveal/", {})],
        "episode": [(episode, None), (f"{episode}?after=1", None)],
        "helped": [(f"{episode}helped/", None)],
        "subject": [(f"/subjects/{subject_id(f'{secret.word} corp')}/", None)],
        "merge-subject": [(f"/subjects/{subject_id(f'{secret.word} corp')}/merge/", {"name": "x"})],
        "event-part": [(f"{episode}1/{part}/", None) for part in ("text", "args", "result", "nonsense")],
        "skill_version": [(f"/skills/{skill}/{number}/", None) for number in (1, 2, 9)],
        "package": [(f"/skills/{skill}/{number}.zip", None) for number in (1, 2, 9)],
        "edit_skill": [(f"/skills/{skill}/edit/", None), (f"/skills/{skill}/edit/", {"description": "x"})],
        "merge_skill": [(f"/skills/{skill}/merge/", {"other": "another"})],
        "rename_skill": [(f"/skills/{skill}/rename/", {"name": "another"})],
        "restore_version": [(f"/skills/{skill}/1/restore/", {})],
        "run": [(f"/runs/{run}/", None)],
        "decide-run": [(f"/runs/{run}/{verb}/", {}) for verb in ("retry", "pause", "resume")],
        "decide": [(f"{memory}decide/", {"decision": verb}) for verb in verbs],
        "decide-proposal": [
            (f"/proposals/{secret.proposal}/decide/", {"decision": one}) for one in ("accept", "reject")
        ],
        "lift": [(f"/tombstones/{secret.tombstone}/lift/", {})],
        "revert": [(f"/adaptations/{secret.adaptation}/revert/", {})],
        "undo": [(f"/undo/{secret.batch}/", {})],
        "take-back": [(f"/outcomes/judge/{secret.batch}/undo/", {})],
    }


class Scene:
    """Some rows of every kind, and readers."""

    def __init__(self, seed: int) -> None:
        self.draw = Random(seed)
        self.secrets = [self._row(number) for number in range(SECRETS)]

    def _row(self, number: int) -> Secret:
        scope, sensitivity = self.draw.choice(SCOPES), self.draw.randrange(5)
        secret = make_secret(number, scope, sensitivity)
        within: dict[str, Any] = {"scope": scope, "sensitivity": sensitivity}
        Run.objects.create(kind="competences", trigger=Run.Trigger.PAGE, error=secret.word, status="failed", **within)
        stuck = {"error": f"{secret.word} fails", "due": True, "first_seen_at": AT, "last_seen_at": AT}
        sha = {"signature": secret.word, "signature_sha256": bytes([number])}
        Pattern.objects.create(**sha, **stuck, **within)
        Episode.objects.filter(pk=secret.episode).update(digest_attempts=3, digest_error=f"{secret.word} unread")
        make_memory(f"{secret.word} plan", **{**within, "type": Type.PLAN_GRAPH})
        return secret

    def reader(self, name: str) -> tuple[Client, Trust]:
        person = make_person(name, group=self.draw.choice(["viewer", "reviewer", "administrator"]))
        for permission in self.draw.sample(["see_high", "see_hyper"], self.draw.randrange(3)):
            person.user_permissions.add(Permission.objects.get(codename=permission))
        client = Client()
        client.force_login(person)
        return client, trust_of(User.objects.get(pk=person.pk))

    def hidden(self, trust: Trust) -> list[Secret]:
        return [secret for secret in self.secrets if not secret.is_seen_by(trust)]


@shared_rows_of_seeds(SEEDS)
def scene(seed: int) -> Scene:
    return Scene(seed)


def read(client: Client, url: str, form: Any = None, *, headers: dict[str, str] | None = None) -> tuple[int, str]:
    answer: Any = client.get(url, headers=headers) if form is None else client.post(url, form, headers=headers)
    return answer.status_code, bytes_of(answer).decode(errors="replace")


def whole(client: Client, name: str, query: str) -> str:
    """A list to its end."""
    url, shown = {"inbox": "/"}.get(name, f"/{name}/") + query, ""
    while url:
        answer: Any = client.get(url)
        assert answer.status_code == 200, url
        shown += answer.content.decode()
        following = answer.context["page"].next
        url = f"{answer.request['PATH_INFO']}{query or '?'}&cursor={following.encode()}" if following else ""
    return shown


def names(patterns: list[Any]) -> set[str]:
    found = set()
    for pattern in patterns:
        if isinstance(pattern, URLResolver) and "api/" not in str(pattern.pattern) and pattern.app_name != "admin":
            found |= names(pattern.url_patterns)
        elif isinstance(pattern, URLPattern) and pattern.name:
            found.add(pattern.name)
    return found


def test_the_walk_knows_every_page() -> None:
    assert names(get_resolver().url_patterns) == {
        *LISTS,
        *of_one(NOTHING, uuid4()),
        *NOT_ABOUT_ROWS,
        *TESTED_ELSEWHERE,
        *WITH_A_TEST_BELOW,
    }


def test_lists_show_what_the_reader_may_see_and_nothing_else(scene: Scene) -> None:
    client, trust = scene.reader("reader")
    hidden = scene.hidden(trust)
    ids = [str(each) for secret in hidden for each in (secret.memory, secret.episode, secret.proposal, secret.batch)]
    for name, queries in LISTS.items():
        for query in queries:
            shown = whole(client, name, query)
            leaked = [secret for secret in hidden if secret.word in shown]
            assert not leaked, (name, query, trust)
            assert not [each for each in ids if each in shown], (name, query, trust)
        shown = whole(client, name, "")
        seen = {secret.word for secret in scene.secrets if secret.is_seen_by(trust)}
        assert seen == set(re.findall(r"secret\d", shown)), (name, trust)


def test_a_page_tells_nothing_of_what_something_higher_did_to_its_memory(scene: Scene) -> None:
    pairs = [make_pair(number, scene.draw, scene.draw.choice(SCOPES)) for number in range(PAIRS)]
    for number in range(READERS):
        client, trust = scene.reader(f"reader{number}")
        for pair in pairs:
            status, shown = read(client, f"/memories/{pair.low.pk}/")
            found = [text for text in (pair.word, *pair.ids) if text in shown]
            assert bool(found) == pair.is_seen_by(trust), (pair, trust, status)
            status, shown = read(client, f"/memories/{pair.low.pk}/as-of/?as_of={format_instant(timezone.now())}")
            leaked = [text for text in (pair.word, *pair.ids) if text in shown]
            assert pair.is_seen_by(trust) or not leaked, (pair, trust, status)


def test_the_tabs_of_the_inbox_count_what_the_reader_may_see(scene: Scene) -> None:
    client, trust = scene.reader("reader")
    counted = {kind["value"]: kind["n"] for kind in client.get("/").context["kinds"]}
    waiting = [
        memory
        for memory in Memory.objects.filter(status__in=(Status.CANDIDATE, Status.CONTESTED))
        if sees(trust, memory)
    ]
    for kind in (Type.SEMANTIC, Type.COMPETENCE, Type.PLAN_GRAPH, Type.WORKING):
        assert counted[kind] == len([memory for memory in waiting if memory.type == kind]), kind
    proposed = [
        one
        for one in Proposal.objects.filter(decision=None).select_related("memory")
        if trust.sees(one) and sees(trust, one.memory)
    ]
    assert counted[Proposal.Kind.REVISION] == len(proposed)
    versions = SkillVersion.objects.filter(status="proposed").select_related("skill__memory")
    seen = [one for one in versions if trust.sees(one.skill.memory)]
    assert counted["version"] == len([one for one in seen if one.skill.memory.status in ("confirmed", "applied")])


def test_files_hold_what_the_reader_may_see_and_nothing_else(scene: Scene) -> None:
    client, trust = scene.reader("reader")
    hidden = [one for secret in scene.hidden(trust) for one in (secret.word, str(secret.memory))]
    seen = {secret.word for secret in scene.secrets if secret.is_seen_by(trust)}
    for form in ("csv", "jsonl"):
        shown = bytes_of(client.get(f"/memories/export.{form}?status=candidate")).decode()
        assert not [one for one in hidden if one in shown], (form, trust)
        assert seen <= set(re.findall(r"secret\d", shown)), (form, trust)


def test_the_search_finds_what_the_reader_may_see_and_nothing_else(scene: Scene) -> None:
    client, trust = scene.reader("reader")
    seen = set()
    for secret in scene.secrets:
        for headers in ({}, {"HX-Request": "true"}):
            _, shown = read(client, f"/search/?q={secret.word}", headers=headers)
            shown = shown[shown.find('id="found"') :].replace(f"“{secret.word}”", "").replace(f"q={secret.word}", "")
            assert not [one for one in scene.hidden(trust) if one.word in shown or str(one.memory) in shown], trust
            seen |= set(re.findall(r"secret\d", shown))
    assert seen == {secret.word for secret in scene.secrets if secret.is_seen_by(trust)}


def test_what_may_not_be_seen_is_what_does_not_exist(scene: Scene) -> None:
    versions = dict(Memory.objects.values_list("pk", "version"))
    client, trust = scene.reader("reader")
    for secret in scene.hidden(trust)[:3]:
        skill = Memory.objects.get(skill__name=secret.skill, skill__scope=secret.scope).pk
        mine, nobodys = of_one(secret, skill), of_one(NOTHING, uuid4())
        for name, asked in mine.items():
            for one, nothing in zip(asked, nobodys[name], strict=True):
                for headers in ({}, {"HX-Request": "true"}):
                    found, absent = read(client, *one, headers=headers), read(client, *nothing, headers=headers)
                    assert found[0] == absent[0] >= 400, (name, one, trust)
                    assert same(found[1]) == same(absent[1]), (name, one, trust)
    assert dict(Memory.objects.values_list("pk", "version")) == versions


def same(page: str) -> str:
    """Without what differs from request to request."""
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|value=\"[\w-]{64}\"|[\w-]{64}", "", page)


def test_a_bulk_decision_passes_by_what_may_not_be_seen(scene: Scene) -> None:
    person = make_person("reviewer")
    client, trust = Client(), trust_of(person)
    client.force_login(person)
    chosen = [f"{secret.memory} 1" for secret in scene.secrets]
    read(client, "/bulk/", {"decision": "dismiss wrong", "chosen": chosen})
    read(client, "/bulk/", {"decision": "dismiss wrong", "matching": "all", "as_of": "2999-01-01T00:00:00Z"})
    for secret in scene.hidden(trust):
        assert Memory.objects.get(pk=secret.memory).status == Status.CANDIDATE


def test_who_teaches_what_is_there_unseen_is_not_told_of_it(scene: Scene) -> None:
    client, trust = scene.reader("reader")
    hidden = scene.hidden(trust)
    ids = [str(memory.pk) for memory in Memory.objects.all() if not sees(trust, memory)]
    for secret in hidden:
        said = {"content": f"{secret.word} waits", "scope": secret.scope}
        for url in ("/memories/teach/look/", "/memories/teach/"):
            _, shown = read(client, url, said)
            assert not [each for each in ids if each in shown], (url, trust)


def sees(trust: Trust, memory: Memory) -> bool:
    return trust.sees(memory)
