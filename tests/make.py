"""Makers: a test names only what it is about, the rest is plain. Time is `AT` unless a test says otherwise."""

from datetime import UTC, datetime
from typing import Any, cast
from uuid import uuid4

from django.contrib.auth.models import User
from rest_framework.test import APIClient

from memories import accounts
from memories.intake import episodes
from memories.intake.reports import conversation
from memories.models import Agent, Memory
from memories.values.choices import ActorKind, Origin, Sensitivity, Status, Type
from memories.values.trust import Actor, Trust, everything
from skills import publishing
from skills.manifest import Fields
from skills.models import Skill, SkillVersion

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANNA = Actor(ActorKind.PERSON, "anna", "1")
BEN = Actor(ActorKind.PERSON, "ben", "2")
Json = dict[str, Any]


def make_memory(content: str = "Acme pays on net-30 terms", **facts: Any) -> Memory:
    """A semantic candidate unless `facts` say otherwise."""
    plain: Json = {
        "type": Type.SEMANTIC,
        "source": "P01",
        "origin": Origin.STORED,
        "sensitivity": Sensitivity.LOW,
        "confidence": 20,
        "status": Status.CANDIDATE,
        "salience_at": AT,
        "created_by": "P01",
        "created_at": AT,
        "updated_at": AT,
    }
    memory = Memory.objects.create(content=content, **plain | facts)
    memory.refresh_from_db()
    return memory


def call(tool: str, id: str | None = "c1", **args: Any) -> Json:
    """An assistant's message with one tool call, as OpenAI writes it."""
    function = {"name": tool, "arguments": args}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": id, "type": "function", "function": function}]}


def answer(content: Any, id: str | None = "c1", **more: Any) -> Json:
    return {"role": "tool", "tool_call_id": id, "content": content, **more}


def user(text: str) -> Json:
    return {"role": "user", "content": text}


def assistant(text: str) -> Json:
    """What an agent says without a call."""
    return {"role": "assistant", "content": text}


def run(**fields: Any) -> Json:
    """One recorded conversation as a caller sends it."""
    return {"messages": [user("Book a flight"), call("search", to="Rome"), answer("3 found")]} | fields


def make_run(*, trust: Trust | None = None, at: datetime = AT, **fields: Any) -> Memory:
    """A stored conversation: the episodic memory, with its episode."""
    stored = episodes.conversation(conversation.parse(run(**fields)), trust=trust or everything(), at=at)
    assert stored.memory is not None
    return stored.memory


def make_agent(name: str = "", **facts: Any) -> tuple[Agent, str]:
    """An agent and its token; by default what `create_agent` without options gives."""
    return Agent.objects.issue(name or f"agent-{uuid4().hex[:8]}", **facts)


def caller(**facts: Any) -> APIClient:
    """A client that calls the API as a new agent."""
    return bearing(make_agent(**facts)[1])


def skill_reviewer() -> APIClient:
    """Calls the API as an agent that may read packages and decide about skills."""
    return caller(permissions=["read", "skills", "review"])


def post(client: APIClient, path: str, status: int = 200, /, **body: Any) -> Any:
    """The JSON of the answer, which must have this status."""
    answer = client.post(f"/api/v1/{path}", body, format="json")
    assert answer.status_code == status, answer.content
    return answer.json()


def answer_of(client: APIClient, path: str, /, **body: Any) -> Json:
    """The JSON of any answer, with its status as `http`."""
    answer = client.post(f"/api/v1/{path}", body, format="json")
    return {**answer.json(), "http": answer.status_code}


def ask(client: APIClient, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> Any:
    """Any method with any bytes, as no well-behaved client would send them."""
    return cast(Any, client).generic(method, path, body, kind)


def bytes_of(answer: Any) -> bytes:
    """The body, read to its end: only then a file behind it is closed."""
    return b"".join(answer.streaming_content) if answer.streaming else bytes(answer.content)


def bearing(token: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    return client


def make_person(name: str = "anna", *, group: str = "reviewer") -> User:
    return accounts.create_person(name, group_name=group, password="secret")[0]


def make_skill(name: str = "book-flight", *, published: bool = True, at: datetime = AT, **facts: Any) -> Skill:
    """A competence memory with one version of its skill; `facts` are of the memory."""
    status = Status.CONFIRMED if published else Status.CANDIDATE
    memory = make_memory(**{"content": "Books a flight", "type": Type.COMPETENCE, "status": status} | facts)
    skill = Skill.objects.create(memory=memory, scope=memory.scope, name=name, title=name.replace("-", " "))
    version = make_version(skill, at=at)
    if published:
        SkillVersion.objects.filter(pk=version.pk).update(status=SkillVersion.Status.PUBLISHED, published_at=at)
    return Skill.objects.get(pk=skill.pk)


def make_version(skill: Skill, *, description: str = "Books a flight", at: datetime = AT) -> SkillVersion:
    """One more version of a skill, proposed; its package is stored."""
    fields = Fields.model_validate({"name": skill.name, "description": description})
    prepared = publishing.prepare(fields, scope=skill.scope, number=publishing.next_number(skill))
    return publishing.propose(skill, prepared, made_by=SkillVersion.MadeBy.UPLOAD, by=ANNA, at=at)
