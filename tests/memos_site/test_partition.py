"""What `partition --dry-run` tells of a store, and that nothing changes."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memories.models import Passage
from memos_site.management.commands.partition import Plan, plan
from tests.make import make_run

pytestmark = pytest.mark.django_db


def test_it_tells_rows_sizes_batches_and_the_keys_without_scope() -> None:
    make_run()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE memories_passage")
    out = StringIO()
    call_command("partition", "--dry-run", stdout=out)
    text = out.getvalue()
    assert f"memories_passage: about {Passage.objects.count()} rows, " in text
    assert "16 partitions" in text
    assert "1 batches of 10000 rows" in text
    assert "needs the scope first: memories_passage_pkey of memories_passage" in text
    assert "memories_vector:" in text
    assert "memories_event:" in text


def test_it_changes_nothing_and_measures_how_fast_rows_are_copied_here() -> None:
    make_run()
    before = Passage.objects.count()
    assert plan("memories_passage").rows_per_second > 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('sample'), count(*) FROM memories_passage")
        assert cursor.fetchone() == (None, before)


def test_without_dry_run_it_refuses_and_says_where_the_reason_stands() -> None:
    with pytest.raises(CommandError, match=r"docs/scale\.md"):
        call_command("partition")


def test_a_scope_that_is_larger_than_a_sixteenth_is_a_partition_of_that_size() -> None:
    small, large = (Plan("t", 25_000, 0, 0, largest, 100.0, ()) for largest in (0.01, 0.4))
    assert (small.largest_partition, large.largest_partition, large.batches) == (1 / 16, 0.4, 3)
