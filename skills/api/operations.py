"""This room's operations in words, with an example each."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter

from memories.api.described import Operation
from memories.api.examples import AT, ID, PERFORMANCE
from memories.api.parameters import query, some_of
from memories.values.choices import Status
from skills.api.schema import Skill, SkillPage, SkillVersion, SkillVersionPage

TAG = "Skills"
ABSENT = frozenset({404, 409})  # 409: the name exists in several scopes
NAME = OpenApiParameter(
    "name", {"type": "string"}, OpenApiParameter.PATH, description="The skill's slug; `_` reads as `-`."
)
NUMBER = OpenApiParameter(
    "number", {"type": "string"}, OpenApiParameter.PATH, description="A version's number, or `latest`."
)
SCOPE = query("scope", {"type": "string"}, "Where the skill lives; needed where its name exists in several scopes.")
HASH = OpenApiParameter(
    "X-Content-SHA256", {"type": "string"}, OpenApiParameter.HEADER, response=[200], description="Of the whole file."
)
_PACKAGE = {"url": "http://127.0.0.1:8000/api/v1/skills/refund-payment/versions/1/content?scope=project%3Ashop"}
_SKILL: dict[str, Any] = {
    "id": ID,
    "name": "refund-payment",
    "title": "Refund a payment",
    "description": "Refunds a payment after looking at its order",
    "status": "confirmed",
    "scope": "project:shop",
    "sensitivity": "low",
    "confidence": 60,
    "skill_name": "skill:get_order>refund_payment",
    "triggers": [],
    "recipe": [{"step": "Look at the order", "tool": "get_order"}, {"step": "Refund", "tool": "refund_payment"}],
    "required_tools": ["get_order", "refund_payment"],
    "failure_modes": [],
    "fallbacks": [],
    "effects": ["refund_payment"],
    "performance": PERFORMANCE,
    "reliability": 0.41,
    "published_version": 1,
    "latest_version": 1,
    "proposed_version": None,
    "memory_id": ID,
    "package": {**_PACKAGE, "sha256": "0" * 64, "size": 1543},
}
_VERSION: dict[str, Any] = {
    "number": 1,
    "status": "published",
    "made_by": "consolidation",
    "changelog": "",
    "fields": {"name": "refund-payment", "description": "Refunds a payment after looking at its order"},
    "skill_md": "---\nname: refund-payment\n---\n",
    "files": [{"path": "SKILL.md", "size": 30, "sha256": "0" * 64}],
    "package": _SKILL["package"],
    "scan": {"findings": []},
    "performance": PERFORMANCE,
    "reliability": 0.41,
    "created_at": AT,
    "published_at": AT,
}

LIST_SKILLS = Operation(
    "ListSkills",
    TAG,
    "Skills",
    "By name. Without `review` only what is published, of confirmed or applied memories.",
    {200: SkillPage},
    example={"next": None, "previous": None, "results": [_SKILL]},
    parameters=(some_of("status", Status.values, "In these states."),),
)
GET_SKILL = Operation(
    "GetSkill",
    TAG,
    "One skill",
    "By its name. Where several scopes have a skill of that name: 409 naming them, unless `scope` says which.",
    {200: Skill},
    example=_SKILL,
    parameters=(NAME, SCOPE),
    refuses=ABSENT,
)
LIST_SKILL_VERSIONS = Operation(
    "ListSkillVersions",
    TAG,
    "The versions of a skill",
    "Newest first. Without `review` the published one.",
    {200: SkillVersionPage},
    example={"next": None, "previous": None, "results": [_VERSION]},
    parameters=(NAME, SCOPE),
    refuses=ABSENT,
)
GET_SKILL_VERSION = Operation(
    "GetSkillVersion",
    TAG,
    "One version of a skill",
    "`latest` is the published one; for who sees every status and where none is published, the newest.",
    {200: SkillVersion},
    example=_VERSION,
    parameters=(NAME, NUMBER, SCOPE),
    refuses=ABSENT,
)
DOWNLOAD_SKILL_VERSION = Operation(
    "DownloadSkillVersion",
    TAG,
    "The package of a version",
    "A zip that follows the [Agent Skills](https://agentskills.io) specification. Its ETag is its SHA-256.",
    {200: {"type": "string", "format": "binary"}},
    parameters=(NAME, NUMBER, SCOPE, HASH),
    refuses=ABSENT,
    media_type="application/zip",
)
