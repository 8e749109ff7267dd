"""A check says of a command that it failed in earlier runs as it is about to be called, and how it worked."""

from datetime import timedelta
from typing import Any

import pytest

from consolidation.learning.effects.option_tries import option_tries
from consolidation.learning.effects.option_tries import tries_in as line_tries
from consolidation.models.commands import CommandAttempt
from memories.models import Memory
from tests.consolidation.experience import NOON
from tests.consolidation.recorded import RULES, run
from tests.consolidation.test_command_facts import PERSON, commands, digested
from tests.consolidation.test_command_notes import notes, so_far
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
DONE = "<returncode>0</returncode>\n<output>\n</output>"
REFUSED = "Exit code 1\nMessage: Merge commits are not allowed on this repository."
WAITS = "Exit code 1\nError: error asking for approval: EOF"
NOTE = (
    "`gh pr merge` with `--merge` failed in 3 of 3 runs in `shop` (Message: Merge commits are not allowed on this"
    " repository.); with `--squash` it worked in 3 of 3"
)
Tried = dict[tuple[str, ...], bool]


def merged(n: int) -> None:
    refused = (f"gh pr merge {n} --merge", REFUSED)
    commands(refused, (f"gh pr view {n}", DONE), (f"gh pr merge {n} --squash", DONE), repository="shop")


def told(*lines: str, **more: Any) -> list[str]:
    return [one["note"] for line in lines for one in notes(line, **more)]


@shared_rows
def learned() -> None:
    """Three runs in which a merge was refused, and then worked with another option."""
    for n in (12, 13, 11):
        merged(n)
    digested()


def test_options_that_failed_are_noted_with_those_that_worked(learned: None) -> None:
    assert told("gh pr merge 14 --merge", "cd shop && gh pr merge --merge 15 -d") == [NOTE]
    assert told("gh pr merge 14 --squash", "gh pr merge 14", "gh pr merge 14 --rebase", "gh pr close 14") == []


def test_a_fact_says_so_that_is_dismissed_and_then_noted_no_more(learned: None) -> None:
    fact = Memory.objects.get(commandfact__isnull=False)
    assert fact.content == (
        "In shop `gh pr merge` works with `--squash` (3 of 3 runs); with `--merge` it fails (0 of 3)."
    )
    fact.dismiss(by=PERSON, why="", at=NOON + timedelta(days=31))
    assert told("gh pr merge 14 --merge") == []


def test_nothing_is_noted_of_what_worked_in_this_run_or_in_another_one(learned: None) -> None:
    assert told("gh pr merge 14 --merge", task=None, messages=so_far(("gh pr merge 9 --merge", DONE))) == []
    commands(("gh pr merge 14 --merge", DONE), repository="shop")
    digested()
    assert CommandAttempt.objects.filter(form="gh pr merge, --merge", started=True).count() == 1


def test_an_option_that_a_command_needs_is_noted_where_it_is_missing() -> None:
    for _ in range(3):
        commands(("terraform apply", WAITS), ("terraform apply -auto-approve", DONE), repository="net")
    digested()
    assert told("terraform apply") == [
        "`terraform apply` without `-auto-approve` failed in 3 of 3 runs in `net` (Error: error asking for approval:"
        " EOF); with `-auto-approve` it worked in 3 of 3"
    ]
    assert told("terraform apply -auto-approve", "terraform apply -input=false", "terraform plan") == []


def tried(*lines: tuple[str, str]) -> Tried:
    """What a run of these command lines shows of one command, by its options."""
    script = [("bash", {"command": line}, result) for line, result in lines]
    return {one.options: worked for one, worked in option_tries(run(1, "mend it", *script), RULES).items()}


@pytest.mark.parametrize("value", ["anna-smith", "correct-horse-battery", "anna:hunter", "anna_smith"])
def test_values_that_may_name_somebody_or_be_secret_are_not_kept(value: str) -> None:
    line = f"docker login -p no:cache -u {value} --password={value}"
    assert [one.options for one in line_tries(line)] == [("--password", "-p no:cache", "-u")]


@pytest.mark.parametrize("between", [("sed -i s/a/b/ Makefile", DONE), ("npm ci --quiet", DONE)])
def test_a_failure_that_something_else_may_have_put_right_does_not_count(between: tuple[str, str]) -> None:
    failed, worked = ("helm upgrade shop .", "Exit code 1\nError: timed out"), ("helm upgrade shop . --atomic", DONE)
    assert tried(failed, worked) == tried(failed, ("ls", DONE), worked) == {(): False, ("--atomic",): True}
    assert tried(failed, between, worked).get(()) is None


def test_a_value_written_onto_a_short_option_is_not_kept() -> None:
    lines = ("mysql -pSecret1 db", "docker login -pgeheim reg", "go test -race ./...", "terraform apply -auto-approve")
    words = [one.words for line in lines for one in line_tries(line)]
    assert words == ["mysql, -p", "docker login, -p", "go test, -race", "terraform apply, -auto-approve"]


def test_a_branch_that_is_refused_is_told_by_its_name() -> None:
    refused = "Exit code 1\nTo ../shop.git\n ! [remote rejected] main -> main (hook declined)\nerror: failed to push"
    first = ("git add . && git commit -qm x && git push origin main", refused)
    then = ("git checkout -b fix-12 && git push -u origin fix-12", "To ../shop.git\n * [new branch] fix-12 -> fix-12")
    assert tried(first, then).items() >= {("main",): False, ("-u",): True}.items()
