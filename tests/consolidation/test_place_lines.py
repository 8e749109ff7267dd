"""Lines of a place: which stand together, to which fact each leads, and how a person takes one off that none states."""

import pytest

from consolidation.models.commands import CommandFact
from consolidation.places import knowledge_of
from consolidation.places.agents_md import agents_md
from memories.models import Memory, Mention
from memories.values.choices import Status
from tests.consolidation.experience import NOON
from tests.consolidation.test_command_facts import MISSING, PASSED, commands, digested, nine_runs
from tests.consolidation.test_places import ALL, PAGE, PERSON, fact, forms, known
from tests.make import make_memory
from tests.pages import signed_in
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@shared_rows
def counted() -> None:
    """Nine runs in sympy that are counted."""
    nine_runs()


def test_commands_of_one_purpose_that_do_not_start_are_one_line(counted: None) -> None:
    for runs, line in ((5, "git one"), (4, "lift"), (3, "git two")):
        for _ in range(runs):
            commands((line, MISSING))
    digested()
    assert [line for line in agents_md(known()).splitlines() if "git" in line] == [
        "- `git one` (0 of 5 runs) and `git two` (0 of 3) do not start"
    ]


def test_a_place_of_which_only_words_are_known_says_so() -> None:
    memory = make_memory("Acme pays for Sympy", status="confirmed", speakers=["person"], category="fact")
    Mention.objects.name_in([memory])
    place = knowledge_of(["Sympy"], ALL, at=NOON)
    assert (place.runs, len(place.memories)) == (0, 1)
    nothing = "No commands are known here yet"
    assert agents_md(place).splitlines()[2] == f"{nothing}."
    page = signed_in().get("/places/one/?name=Sympy&scope=").content.decode()
    assert nothing in page and "0 runs" not in page


def test_a_person_dismisses_a_line_that_no_fact_states_and_can_restore_it(counted: None) -> None:
    for _ in range(3):
        commands(("make all", "<returncode>0</returncode>\n<output>\n</output>"))
    digested()
    form, client = {"name": "sympy", "scope": "project:acme", "form": "make all"}, signed_in()
    assert client.get(PAGE).content.decode().count("Wrong") == 2, "of one line, beside what is said about it"
    viewer = signed_in("vera", group="viewer")
    assert "dismiss/" not in viewer.get(PAGE).content.decode()
    assert viewer.post("/places/dismiss/", form).status_code == 403
    assert client.post("/places/dismiss/", form | {"form": "bin/test"}).status_code == 404, "its fact is dismissed"
    page = client.post("/places/dismiss/", form, follow=True)
    assert (
        page.redirect_chain[0][0].startswith("/places/one/")
        and "Dismissed. You can restore it" in page.content.decode()
    )
    assert forms(known()) == (["bin/test"], ["pytest"])
    memory = Memory.objects.get(status=Status.DISMISSED)
    assert memory.content == "In sympy `make all` starts (3 of 3 runs)." and memory.evidence.count() == 3
    commands(("make all", PASSED))
    digested()
    assert forms(known()) == (["bin/test"], ["pytest"]), "and stays away"
    memory.restore(by=PERSON, at=NOON)
    assert forms(known()) == (["bin/test", "make all"], ["pytest"])


def test_a_line_beside_those_that_its_fact_states_leads_to_that_fact(counted: None) -> None:
    for script in ("bin/test_all", "bin/unittest"):
        for _ in range(3):
            commands((f"{script} sympy", PASSED))
    digested()
    lines = known().starting
    assert len(lines) == 3 and {line.memory for line in lines} == {fact()}
    assert len(CommandFact.objects.get(memory__isnull=False).starting) == 2
