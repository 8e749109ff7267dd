"""The command `consolidate`: every kind of run that the API starts can be done at a shell."""

from typing import Any, get_args
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from consolidation import contrast_run
from consolidation.api.runs import Kind
from consolidation.models import Run
from memories.models import Episode
from tests.consolidation.contrasted import LATER, LINE, learned, lines
from tests.consolidation.experience import run as recorded
from tests.model_endpoint import ModelEndpoint

pytestmark = pytest.mark.django_db


def consolidate(capsys: pytest.CaptureFixture[str], *args: str, **options: Any) -> str:
    call_command("consolidate", *args, **options)
    return capsys.readouterr().out


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_that_the_api_starts_is_one_of_the_command(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    consolidate(capsys, f"--kind={kind}")
    assert set(Run.objects.values_list("kind", flat=True)) <= {kind}


def test_queued_skills_are_compared_by_kind_contrast(
    endpoint: ModelEndpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.answers("contrast", lines(LINE))
    run = contrast_run.request(learned(), trigger=Run.Trigger.PAGE, at=LATER)
    told = consolidate(capsys, "--kind=contrast")
    run.refresh_from_db()
    assert run.status == "succeeded" and endpoint.unused == 0
    assert "1 comparisons" in told and "lines_written" in told


def test_a_skill_named_by_subject_is_queued_and_compared(
    endpoint: ModelEndpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.answers("contrast", lines(LINE))
    skill = learned()
    consolidate(capsys, "--kind=contrast", f"--subject={skill.pk}")
    assert Run.objects.get(kind="contrast").subject == skill.pk and endpoint.unused == 0


@pytest.mark.parametrize(
    "args",
    [
        ["--kind=contrast", f"--subject={uuid4()}"],
        ["--kind=extract", f"--episode-id={uuid4()}"],
        ["--kind=patterns", f"--subject={uuid4()}"],
        [f"--subject={uuid4()}"],
        ["--kind=dance"],
        ["--kind=contrast", "--subject=7"],
    ],
)
def test_what_there_is_not_is_refused_in_one_line(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CommandError):
        consolidate(capsys, *args)
    assert not Run.objects.exists()


def test_without_a_model_a_named_conversation_is_skipped_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    episode = recorded(["get_order"])
    told = consolidate(capsys, "--kind=extract", f"--episode-id={episode.pk}")
    assert "skipped: " in told and Run.objects.get().status == "skipped"


def test_retry_with_a_kind_leaves_what_other_kinds_set_aside(capsys: pytest.CaptureFixture[str]) -> None:
    episode = recorded(["get_order"])
    Episode.objects.filter(pk=episode.pk).update(digest_attempts=3)
    consolidate(capsys, "--kind=patterns", "--retry")
    assert Episode.objects.get(pk=episode.pk).digest_attempts == 3
    consolidate(capsys, "--kind=consolidate", "--retry")
    assert Episode.objects.get(pk=episode.pk).digested_at is not None
