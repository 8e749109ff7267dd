"""The query parameters that lists share, each with its words. A view names those that it knows in `filters`."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import OpenApiParameter

from memories.search.request import OTHER_NAMES as OTHER_TYPES
from memories.values.choices import Category, Origin, Status, Type

ORDERINGS = ("created_at", "updated_at", "confidence", "salience", "times_used", "key")
ALIASES = {"source_plugin": "source", "memory_types": "type"}  # names of the published designs
OTHER_NAMES = {"type": OTHER_TYPES}  # parameter -> values of the published designs, in our words


def query(name: str, schema: dict[str, Any], description: str, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, schema, OpenApiParameter.QUERY, description=description, **more)


def some_of(name: str, values: Iterable[str], description: str) -> OpenApiParameter:
    """One or several of these, separated by commas (or the parameter repeated)."""
    schema = {"type": "array", "items": {"type": "string", "enum": list(values)}}
    return query(name, schema, description, style="form", explode=False)


_TEXT = {"type": "string"}
_WORDS = (
    query("limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}, "How many at most on one page."),
    query("cursor", _TEXT, "A place in the list, from the `next` or `previous` of a page. It holds for one ordering."),
    query("scope", _TEXT, "Of exactly this scope; empty: of none."),
    query(
        "source",
        _TEXT,
        "Of exactly this source (also as `source_plugin`); best first then, 10 a page.",
    ),
    query("company_id", _TEXT, "About exactly this company; best first then, 10 a page."),
    query("thread_id", _TEXT, "Of exactly this thread."),
    query("tag", {"type": "array", "items": _TEXT}, "Carrying this tag; repeated: carrying all of them.", explode=True),
    query("min_confidence", {"type": "integer", "minimum": 0, "maximum": 100}, "At least this confidence."),
    query(
        "min_salience",
        {"type": "string", "pattern": r"^(0(\.[0-9]{1,20})?|1(\.0{1,20})?)$"},
        "At least this, now: 0-1.",
    ),
    query("q", _TEXT, "With these words in its content, or this text in its key; ranking is that of search."),
    query("stale", {"type": "string", "enum": ["true", "false"]}, "What nobody used or confirmed for a month."),
    some_of("type", Type.values, "Of these types (also as `memory_types`). Without it: everything but episodes."),
    some_of("status", Status.values, "In these states. Without it: confirmed or applied, where a list says so."),
    some_of("category", Category.values, "Of these categories."),
    some_of("origin", Origin.values, "That came in this way."),
    query("dry_run", {"type": "string", "enum": ["true", "false", "1", "0"]}, "Only the receipt: nothing is touched."),
    some_of("include", ("history", "evidence", "relations"), "What comes along."),
    query(
        "include_redacted",
        {"type": "string", "enum": ["true", "false"]},
        "Stubs of what lies exactly one level above the caller, after the last page.",
    ),
    query(
        "ordering",
        {"type": "string", "enum": [f"{sign}{name}" for name in ORDERINGS for sign in ("", "-")]},
        "What comes first; a `-` in front: descending. Newest first without it.",
    ),
)
KNOWN = {parameter.name: parameter for parameter in _WORDS}
