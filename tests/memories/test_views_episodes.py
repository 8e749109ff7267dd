import pytest
from pytest_django import DjangoAssertNumQueries

from memories.models import AuditEntry, Evidence
from memories.values.choices import Outcome, Sensitivity
from tests.make import AT, answer, call, make_memory, make_run, user
from tests.pages import signed_in, support

pytestmark = pytest.mark.django_db


def test_the_list_shows_how_each_episode_ended_and_is_filtered_by_it() -> None:
    make_run(title="Went well", outcome=Outcome.SUCCESS)
    make_run(title="Went wrong", outcome=Outcome.FAILURE)
    client = signed_in()
    page = client.get("/episodes/").content.decode()
    assert "Went well" in page and "Went wrong" in page
    page = client.get("/episodes/", {"outcome": "failure"}).content.decode()
    assert "Went well" not in page and "Went wrong" in page


def test_the_list_needs_the_same_queries_for_one_row_and_for_many(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    make_run()
    with django_assert_num_queries(7):
        client.get("/episodes/")
    for n in range(5):
        make_run(id=f"run-{n}")
    with django_assert_num_queries(7):
        client.get("/episodes/")


def test_the_page_shows_messages_calls_arguments_and_results() -> None:
    run = make_run(messages=[user("Book a flight"), call("search", to="Rome"), answer({"seats": 3})])
    page = signed_in().get(f"/episodes/{run.pk}/").content.decode()
    for said in ("Book a flight", "search", "to: Rome", "&quot;seats&quot;: 3"):
        assert said in page


def test_an_error_stands_open_and_red_though_the_recording_does_not_say_that_it_is_one() -> None:
    run = make_run(messages=[call("search", to="Rome"), answer("Error: no such city")])
    page = signed_in().get(f"/episodes/{run.pk}/").content.decode()
    assert '<details class="call bad" open>' in page


def test_what_was_printed_stands_in_its_lines_and_who_spoke_is_named() -> None:
    """A harness reports prompt and calls under its own name."""
    printed = {"output": "Traceback\n  assert add(2, 3) == 5", "exit_code": 1}
    messages = [{**user("Fix add"), "actor": "codex"}, call("Bash", command="python3 test_add.py"), answer(printed)]
    page = signed_in().get(f"/episodes/{make_run(source='codex', messages=messages).pk}/").content.decode()
    assert '<pre class="result">exit_code: 1\n\nTraceback\n  assert add(2, 3) == 5</pre>' in page
    assert "&quot;command&quot;: &quot;python3 test_add.py&quot;" in page
    assert [line.strip() for line in page.splitlines() if line.strip() == "user"] == ["user"]


def test_an_open_episode_has_no_empty_line_for_its_outcome() -> None:
    run, client = make_run(messages=[user("hi")]), signed_in()
    assert "<dt>Outcome</dt>" in client.get(f"/episodes/{run.pk}/").content.decode()
    run.episode.closed_at = None
    run.episode.save()
    assert "<dt>Outcome</dt>" not in client.get(f"/episodes/{run.pk}/").content.decode()


def test_flags_are_shown() -> None:
    run = make_run(messages=[user("hi"), call("search", to="Rome")])
    assert "unanswered" in signed_in().get(f"/episodes/{run.pk}/").content.decode()


def test_the_page_needs_the_same_queries_however_long_the_episode_is(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in()
    for messages in ([user("hi")], [user("hi"), *[call("search", to="Rome"), answer("3 found")] * 20]):
        run = make_run(messages=messages)
        with django_assert_num_queries(9):
            client.get(f"/episodes/{run.pk}/")


def test_a_long_episode_goes_on_on_the_next_page() -> None:
    run = make_run(messages=[user(f"message {n}.") for n in range(130)])
    client = signed_in()
    page = client.get(f"/episodes/{run.pk}/").content.decode()
    shown = max(int(line.split(".")[0]) for line in page.split("message ")[1:] if line.split(".")[0].isdigit())
    assert 30 < shown < 129
    assert len(page) < 60_000
    assert f'href="?after={shown + 1}"' in page
    assert f"message {shown + 1}." in client.get(f"/episodes/{run.pk}/", {"after": str(shown + 1)}).content.decode()


def test_evidence_leads_to_its_event_wherever_it_stands_in_the_episode() -> None:
    run = make_run(messages=[user(f"message {n}.") for n in range(130)])
    client, claim = signed_in(), make_memory()
    near, far = (run.episode.events.get(position=position) for position in (3, 120))
    for event in (near, far):
        Evidence.objects.create(
            memory=claim, occasion=f"o{event.position}", episode=run.episode, event=event, kind="supports", at=AT
        )
        address = f"/episodes/{run.pk}/?at={event.position}#{event.node_id}"
        assert f'href="{address}"' in client.get(f"/memories/{claim.pk}/").content.decode()
        assert f'href="{address}"' in client.get(f"/memories/{claim.pk}/pane/").content.decode()
        page = client.get(address).content.decode()
        assert f'id="{event.node_id}"' in page
        assert ("From the beginning" in page) == (event is far)
    first_page = client.get(f"/episodes/{run.pk}/").content.decode()
    assert f'href="#{near.node_id}"' in first_page and f'?at=120#{far.node_id}"' in first_page


def test_a_page_of_long_results_stays_readable_and_goes_on() -> None:
    pairs = [[call("search", id=f"c{n}"), answer("x" * 3_900, id=f"c{n}")] for n in range(30)]
    run = make_run(messages=[message for pair in pairs for message in pair])
    page = signed_in().get(f"/episodes/{run.pk}/").content.decode()
    assert len(page) < 75_000
    assert "What happened next" in page


def test_a_long_result_is_cut_and_can_be_read_whole_as_plain_text() -> None:
    long = "x" * 20_000
    run = make_run(messages=[call("search", to="Rome"), answer(long)])
    client = signed_in()
    page = client.get(f"/episodes/{run.pk}/").content.decode()
    assert len(page) < 20_000
    whole = client.get(f"/episodes/{run.pk}/1/result/")
    assert whole.content.decode() == long
    assert whole.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert whole.headers["X-Content-Type-Options"] == "nosniff"
    assert client.get(f"/episodes/{run.pk}/1/flags/").status_code == 404


def test_what_was_learned_from_it_is_linked() -> None:
    memory = make_memory("Flights to Rome are booked at once")
    run = support(memory)[0]
    assert f"/memories/{memory.pk}/" in signed_in().get(f"/episodes/{run.pk}/").content.decode()


def test_an_episode_not_yet_read_names_the_command_that_reads_it() -> None:
    run = make_run(outcome=Outcome.SUCCESS)
    assert "manage.py consolidate" in signed_in().get(f"/episodes/{run.pk}/").content.decode()


def test_what_is_above_the_clearance_is_a_404_down_to_each_event() -> None:
    run = make_run(title="a secret run")
    type(run).objects.filter(pk=run.pk).update(sensitivity=Sensitivity.HIGH)
    client = signed_in()
    assert client.get(f"/episodes/{run.pk}/").status_code == 404
    assert client.get(f"/episodes/{run.pk}/1/text/").status_code == 404
    assert "a secret run" not in client.get("/episodes/").content.decode()


@pytest.mark.parametrize("after", ["²", "-1", "9" * 30, "x"])
def test_what_is_no_position_is_no_fault(after: str) -> None:
    run = make_run()
    assert signed_in().get(f"/episodes/{run.pk}/", {"after": after}).status_code == 200


CARD, KEY = "4111 1111 1111 1111", "AKIAIOSFODNN7EXAMPLE"


def test_secrets_are_masked_on_every_page_and_revealed_once_to_who_reviews() -> None:
    said = [user(f"My card is {CARD}"), call("pay", card=CARD), answer({"key": KEY})]
    run = make_run(messages=said)
    client, page = signed_in(permissions=["see_high"]), f"/episodes/{run.pk}/"
    for url in ("/episodes/", page, f"{page}1/text/", f"{page}2/args/", f"{page}2/result/"):
        shown = client.get(url).content.decode()
        assert "••••••" in shown and CARD not in shown and KEY not in shown, url
    reveal = f"/memories/{run.pk}/reveal/"
    assert f'action="{reveal}"' in client.get(page).content.decode()
    assert client.get(reveal).status_code == 405
    revealed = client.post(reveal)
    assert CARD in revealed.content.decode() and KEY in revealed.content.decode()
    assert "no-store" in revealed["Cache-Control"]
    entry = AuditEntry.objects.get(action="reveal")
    assert (entry.subject_id, entry.actor) == (run.pk, "anna")
    assert CARD not in client.get(page).content.decode()
    viewer = signed_in("vera", group="viewer", permissions=["see_high"])
    assert viewer.post(reveal).status_code == 403
    assert signed_in("paul").post(reveal).status_code == 404, "it is high, and not for his eyes"


def test_a_secret_that_the_page_cuts_off_is_not_shown_in_half() -> None:
    token = "ghp_" + "a1B2" * 9
    run = make_run(messages=[user("x" * 3_980 + " " + token), call("env", dump="y " * 2_500 + token)])
    shown = signed_in(permissions=["see_high"]).get(f"/episodes/{run.pk}/").content.decode()
    assert "ghp_" not in shown
    assert "/reveal/" in shown


def test_an_episode_without_secrets_offers_no_reveal() -> None:
    page = signed_in().get(f"/episodes/{make_run().pk}/").content.decode()
    assert "reveal" not in page


def test_episodes_are_found_by_their_words_thread_and_tools() -> None:
    one, other = make_run(title="First", thread_id="t-1"), make_run(title="Second", messages=[user("My parcel broke")])
    client = signed_in()
    for query, row in (({"q": "parcel"}, other), ({"thread_id": "t-1"}, one), ({"tool": "search"}, one)):
        shown = client.get("/episodes/", query).content.decode()
        assert [str(each.pk) in shown for each in (one, other)] == [row == one, row == other], query
