"""A process that stores or dismisses, one claim for each line that it reads: `python -m tests.memories.racers`.

It stores where every scope reads; what it dismisses is in the scope that it was started for.
"""

import os
import sys
from datetime import UTC, datetime

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def said(number: int) -> str:
    return f"alpha{number}x beta{number}x gamma{number}x delta{number}x"


def main(database: str, role: str, scope: str = "") -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "memos_site.settings"
    import django

    django.setup()
    from django.db import connection

    connection.settings_dict["NAME"] = database
    print("ready", flush=True)
    for line in sys.stdin:
        print(_store(int(line)) if role == "store" else _dismiss(int(line), scope), flush=True)


def _store(number: int) -> str:
    """Under a key of its own, then under the key that is dismissed."""
    from memories.intake import claims
    from memories.intake.reports.claims import read
    from memories.values.trust import everything

    body = {"category": "fact", "content": said(number), "source": "P01"}
    for key in (f"twin-{number}", f"k{number}"):
        claims.store(read({**body, "key": key}), trust=everything(), at=AT)
    return "stored"


def _dismiss(number: int, scope: str) -> str:
    """Says whether the twin was there when the decision was made."""
    from django.db import transaction

    from memories.models import Memory
    from memories.values.choices import ActorKind
    from memories.values.trust import Actor

    anna = Actor(ActorKind.PERSON, "anna", "1")
    with transaction.atomic():
        wrong = Memory.objects.get(key=f"k{number}", scope=scope, status="candidate")
        wrong.dismiss(by=anna, why="wrong", at=AT)
        return "beside a twin" if Memory.objects.filter(key=f"twin-{number}").exists() else "alone"


if __name__ == "__main__":
    main(*sys.argv[1:])
