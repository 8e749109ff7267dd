"""The worker that carries out a bulk decision, or takes one back, is killed: each row is decided once, in one batch."""

import json
from typing import Any

import pytest

from tests.journeys.dying import Moment, die
from tests.journeys.forking import Forking

pytestmark = pytest.mark.slow

ROWS = 120
# When it dies: rows of a part decided and not committed; committed; all of them decided, and the run not ended.
MOMENTS = {
    "part-not-committed": Moment("consolidation.models", "BulkOrder.record", 1, done=True),
    "part-committed": Moment("consolidation.execution", "Reporter.batch", 1),
    "run-not-ended": Moment("consolidation.models", "Run.finish", 0),
}
ORDERED = """
from django.utils import timezone
from memories.models import Memory
from memories.people import trust_of
from memos_site import review
from tests.make import AT, make_person
facts = {{"type": "semantic", "source": "P01", "origin": "stored", "sensitivity": 1, "scope": {scope!r}}}
facts |= {{"confidence": 20, "status": "candidate", "created_by": "P01"}}
facts |= {{"salience_at": AT, "created_at": AT, "updated_at": AT}}
Memory.objects.bulk_create(Memory(content=f"Customer {{n}} pays late", **facts) for n in range({rows}))
anna, now = make_person({scope!r}), timezone.now()
found = review.ids_matching(trust_of(anna), {{"scope": {scope!r}}}, now, at=now)
review.order(anna, dict.fromkeys(found, ""), "dismiss", at=now, why="noise")
"""
UNDONE = """
from django.contrib.auth.models import User
from django.utils import timezone
from consolidation.models import BulkOrder
from memos_site import review
anna = User.objects.get(username={scope!r})
review.order_undo(anna, BulkOrder.objects.get(person=anna).batch, at=timezone.now())
"""
WORKER = """
from consolidation import run_queue
from memos_site.review import bulk_run
bulk_run.PART = 40
run_queue.work()
"""
STATE = """
import json
from collections import Counter
from consolidation.models import BulkOrder
from memories.models import AuditEntry, Memory
order = BulkOrder.objects.select_related("run").filter(person__username={scope!r}).latest("created_at")
rows = Memory.objects.filter(scope={scope!r})
about = AuditEntry.objects.of_batch(order.batch).values_list("subject_id", flat=True)
print(json.dumps({{
    "statuses": Counter(rows.values_list("status", flat=True)),
    "versions": Counter(rows.values_list("version", flat=True)),
    "decisions": len(about),
    "decided": len(set(about)),
    "counts": order.counts,
    "run": order.run.status,
}}))
"""


def state(home: Forking, scope: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(home.shell(STATE.format(scope=scope)))
    return found


@pytest.mark.parametrize("moment", MOMENTS)
def test_what_a_killed_worker_left_the_next_one_goes_on_with(home: Forking, moment: str) -> None:
    each_once = {"decisions": ROWS, "decided": ROWS, "counts": {"done": ROWS, "refused": 0}, "run": "succeeded"}
    home.shell(ORDERED.format(scope=moment, rows=ROWS))
    die(home, MOMENTS[moment], WORKER)
    home.shell(WORKER)
    assert state(home, moment) == {"statuses": {"dismissed": ROWS}, "versions": {"2": ROWS}, **each_once}
    home.shell(UNDONE.format(scope=moment))
    die(home, MOMENTS[moment], WORKER)
    home.shell(WORKER)
    assert state(home, moment) == {"statuses": {"candidate": ROWS}, "versions": {"3": ROWS}, **each_once}
