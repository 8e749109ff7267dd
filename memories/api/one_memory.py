"""GET, PATCH and DELETE of one memory by id or key, and POST of its erasure by an administrator."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.utils import timezone
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from memories import lifecycle, models, people
from memories.api import paging, problems
from memories.api.base import IF_MATCH, ApiView, WriteView, allowed_versions, etag
from memories.api.episodes import events_of
from memories.api.history import INCLUDED, EvidenceEntry, HistoryEntry, RelationEntry
from memories.api.memory_shape import RELATED, Memory, ProposedMemory, memory_example
from memories.api.openapi import operation
from memories.api.shapes import EXAMPLE_ID, Count, RequestBody, Shape
from memories.intake import edits
from memories.lifecycle.revealing import reveal
from memories.models import former_state
from memories.models.as_of import AsOf
from memories.models.former_state import with_recorded
from memories.models.memory import MemoryQuerySet
from memories.values.choices import ActorKind, Permission, Status, Type
from memories.values.exceptions import NotAllowed, UnknownKey, one_of
from memories.values.field_types import read_body

TIMELINE_AT_MOST = 1_000
DRY_RUN = frozenset({"dry_run"})
CHANGE = (Permission.INGEST, Permission.REVIEW)
FINAL = (
    "An agent can forget its own memories and may store them again; what a person forgets cannot be stored again. "
    "The history keeps who did what and when, without the content. This cannot be undone."
)
Why = Annotated[str, Field(max_length=2_000)]


class NotAsked(Shape):
    """Why a candidate that a language model read in a conversation waits for no decision."""

    why: Literal["shown", "counted", "untaught", "model"]
    """One of: a tool shows the fact at once; similar runs end equally well without it; nothing in the conversation
    teaches it; a language model says that agents do not need it"""
    reason: str
    """For `counted`: the number of similar cases and how many of these ended well; for `model`: its reason"""


class MemoryWithTrails(Memory):
    """A memory; `evidence`, `history` and `relations` are present only where `include` asks for them."""

    not_asked: NotAsked | None = None
    """Present only for a candidate that is stored and searchable, but waits for no decision"""
    history: list[HistoryEntry] = []
    evidence: list[EvidenceEntry] = []
    relations: list[RelationEntry] = []


class Change(edits.Edit):
    """The fields to change."""

    why: Why = ""


class Reason(RequestBody):
    why: Why = ""


class EditedMemory(Memory):
    """The memory after the edit, and the batch with which it can be undone; null where the edit changed nothing."""

    batch: UUID | None


class Receipt(Shape):
    """What was removed, or with `dry_run` would be."""

    memory: UUID
    adaptations_reverted: Count
    relations: Count
    evidence: Count
    events: Count
    skills_withdrawn: Count
    """Published skills that were withdrawn from download"""

    example = {
        "memory": EXAMPLE_ID,
        "adaptations_reverted": 1,
        "relations": 0,
        "evidence": 4,
        "events": 0,
        "skills_withdrawn": 0,
    }


class MemoryView(ApiView):
    needs = {"GET": (Permission.READ,), "DELETE": CHANGE}

    def rows(self, at: datetime, moment: AsOf | None = None) -> MemoryQuerySet:
        rows = models.Memory.objects.told_to(self.trust).as_of(moment)
        return rows.unexpired(moment.at if moment else at)

    def show(self, rows: MemoryQuerySet, *, at: datetime, moment: AsOf | None) -> Response:
        """Answer with the first row and what `include` asks for. A read by an agent counts as a use, one by a person
        or of a former state does not.
        """
        row = one_of(with_recorded(rows, moment).select_related(*RELATED))
        events = events_of(row.pk) if row.type == Type.EPISODIC else None
        if moment:
            events = former_state.arrived(events, moment.at) if events is not None else None
            former_state.restore([row], moment.at)
        elif self.trust.actor.kind == ActorKind.AGENT:
            models.Memory.objects.count_use([row.pk], at=at)
        timeline = None if events is None else list(events[:TIMELINE_AT_MOST])
        answer = Memory.of(row, at=moment.at if moment else at, events=timeline, as_of=moment)
        redundancy = getattr(row, "redundancy", None) if row.status == Status.CANDIDATE and moment is None else None
        if redundancy is not None:
            answer["not_asked"] = NotAsked.from_row(redundancy)
        for name in paging.choice(self.request, "include", list(INCLUDED)):
            answer[name] = INCLUDED[name](row.pk, self.trust, moment.at if moment else None)
        return Response(answer, headers=etag(row.version))

    def forget(self, memory: models.Memory, *, at: datetime) -> Response:
        dry_run = paging.flag(self.request, "dry_run")
        return Response(asdict(lifecycle.forget(memory, trust=self.trust, at=at, dry_run=dry_run)))


class OneMemory(MemoryView):
    needs = {**MemoryView.needs, "PATCH": CHANGE}
    filters = frozenset({"include", "as_of"})
    filters_by_method = {"DELETE": DRY_RUN}

    @operation("GetMemory", "Memories", MemoryWithTrails, example=memory_example("episodic"), refuses=(404,))
    def get(self, request: Request, memory_id: UUID) -> Response:
        """One memory, whatever its status

        Counts as a use when an agent asks. The ETag is its version. `include` adds evidence, history and relations,
        the first 50 of each. With `as_of` it returns the state at that time.
        """
        at = timezone.now()
        moment = paging.past_moment(request, self.trust, now=at)
        return self.show(self.rows(at, moment).filter(pk=memory_id), at=at, moment=moment)

    @operation(
        "EditMemory",
        "Memories",
        {200: EditedMemory, 202: ProposedMemory},
        takes=Change,
        example={"content": "Acme pays within 60 days", "why": "new contract"},
        parameters=(IF_MATCH,),
        refuses=(404, 409, 412),
    )
    def patch(self, request: Request, memory_id: UUID) -> Response:
        """Change what a memory says

        Fields that you leave out stay as they are. An agent changes its own memories; for others a proposal is opened
        (202). A text that people dismissed gives 409 `dismissed` until the tombstone is lifted. Rules never replace a
        reviewer's text. Only sensitivity and deletion policy of a closed memory can change. `batch` is null when
        nothing changed.
        """
        at, (reason, change) = timezone.now(), _change(request.data)
        versions = allowed_versions(request)
        edit_result = edits.edit(self.trust, memory_id, change, at=at, why=reason.why.strip(), versions=versions)
        if edit_result.refusal:
            return problems.problem(409, str(edit_result.refusal), code=edit_result.refusal.code, path=request.path)
        answer = Memory.of_id(memory_id, at=at)
        if edit_result.proposal:
            answer["proposal"], status = edit_result.proposal.pk, 202
        else:
            answer["batch"], status = edit_result.batch, 200
        return Response(answer, status=status, headers=etag(answer["version"]))

    @operation("ForgetMemory", "Forgetting", Receipt, refuses=(404, 409), also=FINAL)
    def delete(self, request: Request, memory_id: UUID) -> Response:
        """Forget a memory

        Deletes the row, its evidence, events, vectors and all quotations; behaviour that it caused ends.
        """
        at = timezone.now()
        memory = one_of(self.rows(at).filter(pk=memory_id), "no such memory")
        return self.forget(memory, at=at)


class OneByKey(MemoryView):
    """The live memory of a key, else the one closed last."""

    filters = frozenset({"scope", "include", "as_of"})
    filters_by_method = {"DELETE": DRY_RUN | {"scope"}}

    @operation(
        "GetMemoryByKey",
        "Memories",
        MemoryWithTrails,
        example=memory_example(key="acme-terms", category="fact"),
        refuses=(404,),
    )
    def get(self, request: Request, key: str) -> Response:
        """The memory of a key, whatever its status

        The live memory of the key, else the one that was closed last. Counts as a use when an agent asks. The ETag is
        its version. With `as_of` it returns the memory that had the key at that time, in the state of that time.
        """
        at, scope = timezone.now(), self.trust.scope_to_read(request.query_params.get("scope"))
        moment = paging.past_moment(request, self.trust, now=at)
        return self.show(self.rows(at, moment).keyed(key, scope=scope), at=at, moment=moment)

    @operation("ForgetMemoryByKey", "Forgetting", Receipt, refuses=(404, 409), also=FINAL)
    def delete(self, request: Request, key: str) -> Response:
        """Forget the memory of a key

        Forgets the live memory of that key, else the one that was closed last. An unknown key gives 404 with at most
        three `suggestions`.
        """
        at, scope = timezone.now(), self.trust.scope_to_write(request.query_params.get("scope"))
        memory = self.rows(at).keyed(key, scope=scope).first()
        if memory is None:
            raise UnknownKey(lifecycle.suggestions(key, scope=scope, trust=self.trust))
        return self.forget(memory, at=at)


class Erase(WriteView):
    needs = {"POST": (Permission.REVIEW,)}
    filters_by_method = {"POST": DRY_RUN}

    @operation("EraseMemory", "Forgetting", Receipt, refuses=(404, 409))
    def write(self, request: Request, memory_id: UUID) -> Response:
        """Erase every trace of a memory

        Like forgetting, and also deletes its keys, its tombstone and its history; works on memories that were already
        forgotten. Administrators only.
        """
        if not people.administers(request.user):
            raise NotAllowed("only an administrator may erase")
        self.body(Reason)
        dry_run = paging.flag(request, "dry_run")
        return Response(asdict(lifecycle.erase(memory_id, trust=self.trust, at=timezone.now(), dry_run=dry_run)))


class RevealedText(Shape):
    """A text with credentials; `place` is the column or the part of the event."""

    place: str
    text: str

    example = {"place": "content", "text": "The staging database has password=..."}


class Revealed(Shape):
    """The texts with their credentials readable, which no other answer shows. The answer must not be cached."""

    memory: UUID
    texts: list[RevealedText]

    example = {"memory": EXAMPLE_ID, "texts": [RevealedText.example]}


class Reveal(MemoryView):
    needs = {"POST": (Permission.REVIEW,)}

    @operation("RevealSecrets", "Memories", Revealed, refuses=(404,))
    def post(self, request: Request, memory_id: UUID) -> Response:
        """Show the secrets of a memory to a person

        Every other answer masks them. Only a person's session with `review` may call this, never a token. The call is
        audited.
        """
        at = timezone.now()
        memory = one_of(self.rows(at).filter(pk=memory_id).select_related("episode"), "no such memory")
        texts = [asdict(text) for text in reveal(memory, trust=self.trust, at=at)]
        answer = Response({"memory": memory.pk, "texts": texts}, headers={"Cache-Control": "no-store"})
        answer.shows_secrets = True  # type: ignore[attr-defined]
        return answer


def _change(body: Any) -> tuple[Reason, edits.Edit]:
    """Split a `Change` into its reason and its edit. Invalid names each wrong field."""
    if not isinstance(body, dict):
        return Reason(), edits.parse_edit(body)
    reason = read_body(Reason, {name: body[name] for name in body if name == "why"})
    return reason, edits.parse_edit({name: body[name] for name in body if name != "why"})
