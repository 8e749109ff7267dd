"""Incidents that agents handled with the scripts of a platform, as they typed their lines: `bin/unit reload router`."""

import pytest

from consolidation.learning.commands import checking, commands, forms, resources
from consolidation.learning.effects.effects import effects
from consolidation.learning.effects.toolnames import phrase
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import RULES, Script, learned, run

FINE, ILL = "router   ok\nsearch   ok\n", "router   ok\nsearch   FAIL  pool exhausted\n[exit code 1]"
SHOWN = '{\n "id": "%s",\n "state": "%s"\n}\n'


def sh(command: str, printed: str) -> Script:
    return "bash", {"command": command}, printed


def pool_raised(n: int) -> Run:
    unit, incident = ["search", "orders", "search"][n], f"INC-{3100 + 7 * n}"
    return run(
        n,
        f"PagerDuty: {unit}: p99 latency above 4 s ({incident}). Can you take it?",
        sh(f"cat README; bin/incident show; bin/unit status; tail -20 var/log/{unit}.log; bin/probe", ILL),
        sh(
            f"set -e\nsed -i 's/^pool_size = 20/pool_size = 36/' etc/{unit}.toml; cat etc/{unit}.toml\n"
            f"bin/unit restart {unit}\nbin/probe || true\nbin/unit reload router\nbin/probe\ndate",
            f"{unit}: restarted\n{ILL}\nrouter: reloaded\n{FINE}",
        ),
        sh(
            f'bin/incident close {incident} --cause "pool exhausted"; bin/incident show; bin/probe',
            f"incident: cause is one of capacity, disk\n{SHOWN % (incident, 'open')}{FINE}",
        ),
        sh(
            f"bin/probe && bin/incident close {incident} --cause capacity; bin/incident show",
            f"{FINE}{incident} closed (capacity)\n{SHOWN % (incident, 'closed')}",
        ),
    )


def lock_removed(n: int) -> Run:
    incident = f"INC-{4100 + 7 * n}"
    return run(
        n + 10,
        f"{incident}: order mails are not sent, customers complain. Please fix it.",
        sh(
            "bin/incident show; bin/unit status; bin/probe; bin/queue list; cat var/mail/lock; fuser var/mail/lock", ILL
        ),
        sh("touch var/notes && rm var/notes; [ ! -e /proc/4112 ] && rm var/mail/lock && bin/queue list", "35 failed"),
        sh(
            "bin/unit restart mail; bin/queue retry mail; sleep 2; bin/probe; bin/incident close",
            f"mail: restarted\n35 mails sent\n{FINE}usage: incident close ID --cause CAUSE\n[exit code 2]",
        ),
        sh(f"bin/incident close {incident} --cause stale-lock", f"{incident} closed (stale-lock)"),
    )


def room_made(n: int) -> Run:
    incident = f"INC-{5100 + 7 * n}"
    return run(
        n + 20,
        f"{incident} disk of uploads at 96 % and rising.",
        sh("bin/probe; bin/unit pause uploads && { bin/sweep --older=7d; bin/unit resume uploads; }; bin/probe", FINE),
        sh(f"bin/incident close {incident} --cause disk", f"{incident} closed (disk)"),
    )


OTHERS = [*map(lock_removed, range(3)), *map(room_made, range(3))]


def test_a_skill_says_which_service_is_called_in_which_order_and_by_which_requests_it_is_recognised() -> None:
    fields = learned([pool_raised(n) for n in range(3)], OTHERS).fields
    assert fields.procedure.splitlines() == [
        "1. Look first: `bin/incident show` and `bin/unit status`.",
        "2. Change the files (`sed -i`); of 3 runs: `etc/*.toml` (3).",
        "3. Run `bin/unit restart {unit}`.",
        "4. Run `bin/unit reload router`.",
        "5. Run `bin/probe`.",
        "6. Run `bin/incident close {incident} --cause capacity`.",
    ]
    assert fields.title == "Restart a unit, reload a unit and close an incident"
    assert "latency above" in fields.description and " is to be changed" not in fields.description


def test_a_file_that_was_in_the_way_is_removed_and_the_last_command_of_a_line_failed() -> None:
    fields = learned(
        [lock_removed(n) for n in range(3)], [*map(pool_raised, range(3)), *map(room_made, range(3))]
    ).fields
    assert fields.procedure.splitlines()[1:] == [
        "2. Remove files; of 3 runs: `var/mail/lock` (3).",
        "3. Run `bin/unit restart mail`.",
        "4. Run `bin/queue retry mail`.",
        "5. Run `bin/probe`.",
        "6. Run `bin/incident close {incident} --cause stale-lock`. `incident` from the user's request.",
    ]


def test_a_check_before_and_after_stands_after_the_changes_and_a_small_number_of_an_option_is_told() -> None:
    runs = [room_made(n) for n in range(3)]
    assert learned(runs).fields.procedure.splitlines()[:4] == [
        "1. Run `bin/unit pause uploads`.",
        "2. Run `bin/sweep --older=7d`.",
        "3. Run `bin/unit resume uploads`.",
        "4. Run `bin/probe`.",
    ]
    assert effects(runs[0], RULES) == {"bin/incident close", "bin/unit pause", "bin/unit resume", "bin/sweep"}


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("bin/incident close", "close the incident"),
        ("ops/queue retry", "retry the queue"),
        ("bin/cert renew", "renew the cert"),
    ],
)
def test_a_script_named_after_a_thing_is_said_as_a_tool_of_that_name(kind: str, said: str) -> None:
    assert resources.is_of_resource(kind)
    assert phrase(kind) == said


@pytest.mark.parametrize(
    "kind",
    [
        "bin/dev check", "bin/rails migrate", "scripts/db migrate", "bin/app deploy", "bin/test run", "bin/probe",
        "tools/lint fix", "make release", "systemctl restart", "bin/build clean", "bin/x add", "sqlc generate",
    ],
)  # fmt: skip
def test_a_task_of_development_is_no_thing_of_a_service(kind: str) -> None:
    assert not resources.is_of_resource(kind)


@pytest.mark.parametrize("line", ["bin/probe", "bin/healthcheck", "ops/smoke-test.sh", "bash bin/doctor", "bin/health"])
def test_a_script_that_looks_whether_a_service_is_well_checks(line: str) -> None:
    [(_, _, words)] = forms.commands_in(line)
    assert checking.runs_named_check(words)


@pytest.mark.parametrize("line", ["fuser -v var/mail/lock", "dmesg", "journalctl -u mail -n 50", "pgrep -f worker"])
def test_a_program_that_shows_processes_or_logs_only_reads(line: str) -> None:
    assert all(map(commands.reads, commands.kinds(line)))


def handed_over(n: int) -> Run:
    report = f"reports/revenue-2026-0{n + 3}.csv"
    code = (
        "import csv\no = list(csv.DictReader(open('data/orders.csv')))\n"
        f"open('{report}', 'w').write('country;net_eur\\n' + figures(o))\n"
    )
    return run(
        n + 30,
        f"Net revenue of month {n + 3} by country for finance, please.",
        sh("ls; head -3 data/orders.csv; find . -type f \\( -name '*.md' -o -name '*.txt' \\) | head", "orders.csv\n"),
        sh(
            f"python3 - <<'E'\n{code}E\ncat {report}; bin/hand-over {report}; cmp reports/.sent {report}",
            "handed over\n",
        ),
    )


def test_a_file_that_code_writes_is_told_and_not_those_that_it_reads() -> None:
    runs = [handed_over(n) for n in range(3)]
    assert learned(runs).fields.procedure.splitlines() == [
        "1. Write the files; of 3 runs: `reports/*.csv` (3).",
        "2. Run `bin/hand-over {path}`.",
    ]
    assert effects(runs[0], RULES) == {"bin/hand-over"}
