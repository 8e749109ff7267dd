"""What the verbs of the client answer, as the OpenAPI document says: made from it, not written by hand.

Times and ids are texts. A search that asks for redacted memories gets some that hold less than a Memory.
"""

from typing import Any, Literal, NotRequired, TypedDict


class ContextItem(TypedDict):
    memory_id: str
    category: Literal["preference", "pattern", "fact", "contact", "workflow", "skill"]
    content: str
    confidence: int
    status: Literal["confirmed", "applied"]
    overridable: bool
    review: Literal["person", "agents", "one_agent"] | None
    agents: int | None
    until: NotRequired[str | None]
    url: NotRequired[str | None]
    name: NotRequired[str | None]
    scope: NotRequired[str | None]


class ContextGuidance(TypedDict):
    decision: Literal["skill", "act", "no_action"]
    confidence: float
    effects: list[str]
    skill: str | None


class ContextPlace(TypedDict):
    name: str
    runs: int
    starting: list[str]
    failing: list[str]


class ContextQuote(TypedDict):
    episode_id: str
    event_id: str | None
    at: str
    speaker: str
    text: str
    until: str | None


class ContextAnswer(TypedDict):
    block: str
    items: list[ContextItem]
    guidance: ContextGuidance | None
    place: ContextPlace | None
    quotes: list[ContextQuote]
    notices: list[str]
    memory_status: Literal["ok", "degraded"]
    degraded: list[
        Literal[
            "company",
            "source",
            "embedding",
            "search",
            "former_words",
            "memories",
            "quotes",
            "use",
            "notices",
            "guidance",
            "place",
        ]
    ]


class Memory(TypedDict):
    id: str
    type: Literal["episodic", "semantic", "working", "competence", "plan_graph"]
    scope: str
    key: str | None
    category: Literal["preference", "pattern", "fact", "contact", "workflow"] | None
    content: str
    payload: dict[str, Any]
    source: str
    origin: Literal["observed", "stored", "taught", "detected", "consolidated", "extracted", "imported"]
    thread_id: str | None
    company_id: str | None
    tags: list[str]
    sensitivity: Literal["public", "low", "medium", "high", "hyper"]
    confidence: int
    status: Literal["candidate", "confirmed", "applied", "contested", "dismissed", "superseded", "retracted"]
    review: Literal["person", "agents", "one_agent"] | None
    agents: int | None
    salience: float
    lifecycle: dict[str, Any]
    times_used: int
    times_confirmed: int
    last_used_at: str | None
    expires_at: str | None
    provenance: dict[str, Any]
    flags: list[Any]
    version: int
    created_at: str
    updated_at: str
    as_of: NotRequired[dict[str, Any] | None]


class FoundPassage(TypedDict):
    event_id: str | None
    ref: str | None
    position: int
    actor: str
    at: str
    text: str
    flags: list[str]
    score: float


class SearchResult(TypedDict):
    memory: Memory
    score: float
    relevance: float | None
    passages: list[FoundPassage]
    until: NotRequired[str | None]
    parts: NotRequired[dict[str, Any] | None]


class Selected(TypedDict):
    selected: list[str]
    confidence: float
    needs_more: bool
    scores: dict[str, float]


class SearchAnswer(TypedDict):
    results: list[SearchResult]
    selection: Selected | None
    degraded: list[Literal["embedding", "former_words"]]
    took_ms: float


class ExpectedEffects(TypedDict):
    effects: list[str]
    share: float
    cases: int


class OfferedSkill(TypedDict):
    name: str
    scope: str
    version: int
    url: str
    summary: str
    steps: list[str]
    checks: list[str]
    avoid: list[str]
    memory_id: str


class SimilarRun(TypedDict):
    episode_id: str
    thread_id: str | None
    similarity: float
    outcome: Literal["success", "failure", "partial"]
    effects: list[str]
    opening: str


class ArgumentNote(TypedDict):
    pointer: str
    note: str


class CheckedRun(TypedDict):
    episode_id: str
    thread_id: str | None
    outcome: Literal["success", "failure", "partial"]
    called: bool
    similarity: float


class CheckedCall(TypedDict):
    verdict: Literal["supported", "unknown", "advised_against"]
    text: str
    well_with: int
    well_without: int
    ill_with: int
    ill_without: int
    arguments: list[ArgumentNote]
    runs: list[CheckedRun]


class GuidanceAnswer(TypedDict):
    decision: Literal["skill", "act", "no_action", "unsure"]
    confidence: float
    expected: ExpectedEffects
    skill: OfferedSkill | None
    alternatives: list[ExpectedEffects]
    similar: list[SimilarRun]
    check: CheckedCall | None
    offer_id: str | None
    withheld: bool
    needs_more: bool
    took_ms: float


class StoredClaim(TypedDict):
    memory: Memory | None
    created: bool
    reinforced: bool
    suppressed: bool
    forgotten: bool
    reset: bool
    proposal: str | None
    ignored_fields: list[str]
    notice: str | None
