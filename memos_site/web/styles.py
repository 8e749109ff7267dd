"""Style page (/styles/, staff only): tokens, type and every component of the pages, with made-up content."""

from types import SimpleNamespace
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.models import Performance
from memories.values.choices import Outcome, Status, Type

COLOURS = (
    ("canvas", "paper", "sunken", "line", "line-2", "edge"),
    ("ink", "ink-2", "ink-3", "accent", "accent-ink", "accent-tint"),
    ("good", "good-tint", "warn", "warn-tint", "bad", "bad-tint"),
)
DISTANCES = (4, 8, 12, 16, 24, 32, 48)
SAMPLE = {  # content, not interface: it is not translated
    "both": "Acme pays on net-30 terms · 客户要求30天付款",
    "body": "Body, 14 px: 1,234 memories, 0.98 similar, 3 of 4 runs.",
    "small": "Small, 13 px",
    "tiny": "tiny, 12 px",
    "long": "Acme pays on net-30 terms, counted from the day of delivery",
    "english": ("Acme pays on net-30 terms.", "Acme pays on net-60 terms."),
    "chinese": ("客户要求在发货后30天内付款", "客户要求在发货后60天内付款"),
    "steps": ("1. Look it up", "2. Cancel it", "2. Ask for a yes, then cancel it"),
    "flag": "secret",
    "tag": "finance",
    "scope": "project:shop",
    "source": "refund-agent",
}
CONFIDENCES = (5, 40, 60, 95)


@require_safe
def styles(request: HttpRequest) -> HttpResponse:
    """Render the style page."""
    if not getattr(request.user, "is_staff", False):
        raise PermissionDenied
    performance = Performance(successes=24, failures=7, partials=1)
    context: dict[str, Any] = {
        "colours": COLOURS,
        "distances": DISTANCES,
        "statuses": [*Status.values, "proposed", "published"],
        "outcomes": Outcome.values,
        "performance": performance,
        "rows_of_confidence": [SimpleNamespace(confidence=n, type=Type.SEMANTIC) for n in CONFIDENCES],
        "options": [("fact", "fact"), ("preference", "preference")],
        "sample": SAMPLE,
        "now": timezone.now(),
    }
    return render(request, "styles/styles.html", context)
