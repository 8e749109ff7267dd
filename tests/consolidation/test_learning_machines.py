"""Machines that agents kept with Ansible, psql and Docker Compose: lines as typed, and what these printed."""

from itertools import starmap

import pytest

from consolidation.learning.effects.command_starts import not_started
from consolidation.learning.effects.effects import effects
from consolidation.learning.runs.call import Call
from consolidation.learning.runs.run import Run
from consolidation.learning.statements.explicit_statements import explicit_statements
from tests.consolidation.recorded import RULES, START, Script, learned, run

RECAP = (
    "PLAY RECAP *****\n{} : ok=4    changed=2    unreachable=0    failed=0    skipped=0    rescued=0    ignored=0   "
)
GONE = (
    "PLAY RECAP *****\n"
    "web1                       : ok=6    changed=4    unreachable=0    failed=0    skipped=0   \n"
    "web3                       : ok=0    changed=0    unreachable=1    failed=0    skipped=0   "
)
REFUSED = 'psql:x.sql:1: ERROR:  new row for relation "payments" violates check constraint\n(1 row)'
NO_DAEMON = (
    "Exit code 1\ndocker.errors.DockerException: Error while fetching server API version: ('Connection aborted.',"
)


def sh(command: str, printed: str = "") -> Script:
    return "bash", {"command": command}, printed


def rolled_out(n: int, name: str, limit: str, *more: Script) -> Run:
    """A setting of the web servers, told to be rolled out in another way first."""
    return run(
        n,
        f"Set the {name} of the web servers to {n + 3}.",
        sh(f"cat README.md inventory/hosts.ini; grep -rn {name} inventory roles", f"web_{name}: 1"),
        sh(f"sed -i 's/web_{name}: 1/web_{name}: {n + 3}/' inventory/group_vars/web/main.yml"),
        sh(f"ansible-playbook site.yml --check --diff --limit {limit}", RECAP.format(limit)),
        *more,
        sh(f"ansible-playbook site.yml -l {limit}", RECAP.format(limit)),
        sh("ansible all -m ping", "web1 | SUCCESS => {}"),
        "Use --tags config for such a change.",
        sh(
            f"ansible-playbook site.yml --limit {limit} --tags config -C && "
            f"ansible-playbook site.yml --limit {limit} --tags config",
            RECAP.format(limit) * 2,
        ),
        thread=f"t{n}",
    )


ROLLED_OUT = [("workers", "web1,web2"), ("keepalive", "web:!web3"), ("timeout", "web1"), ("uploads", "web1,web2")]


def test_a_playbook_is_told_as_it_was_called_last_and_its_check_mode_by_its_option() -> None:
    runs = list(starmap(rolled_out, ((n, *each) for n, each in enumerate(ROLLED_OUT))))
    procedure = learned(runs).fields.procedure.splitlines()
    assert "`ansible-playbook --check`" in procedure[0]
    assert procedure[2] == "3. Run `ansible-playbook site.yml --limit {name} --tags config`."


def test_a_query_is_named_by_its_program_and_a_file_of_statements_is_told() -> None:
    def refunded(n: int) -> Run:
        payment = 5100 + n
        return run(
            n,
            f"Order {1000 + n} was charged twice. Mark the second payment as refunded.",
            sh(f"psql -c 'select * from payments where order_id = {1000 + n}'", f"{payment} captured"),
            sh(
                f"psql <<'SQL'\nbegin;\nupdate payments set state = 'refunded' where id = {payment};\ncommit;\nSQL",
                "UPDATE 1",
            ),
            sh("psql -f sql/checks/payments.sql", "(0 rows)"),
            thread=f"t{n}",
        )

    assert learned([refunded(n) for n in range(3)]).fields.procedure.splitlines() == [
        "1. Look first: `psql`.",
        "2. Update the payments with `UPDATE payments`.",
        "3. Run `psql -f sql/checks/payments.sql`.",
    ]


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("ansible-playbook site.yml --limit web", GONE),
        ("psql -f x.sql", REFUSED),
        ("gh pr merge 12 --merge", "Exit code 1\nMessage: Merge commits are not allowed on this repository."),
        ("gh pr checks 15", "Exit code 1\nlint\tfail\t0\thttps://github.com/harbor/machines/actions/runs/lint"),
        ("docker-compose config -q", 'Exit code 1\nMissing mandatory value for "environment" option'),
    ],
)
def test_a_command_that_failed_is_told_by_its_report_without_a_flag(line: str, printed: str) -> None:
    assert run(1, sh(line, printed)).steps[0].failed


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("ansible-playbook site.yml --limit web1", RECAP.format("web1")),
        ("tail -3 /var/log/postgresql.log", '2026-11-30 20:45:32 UTC [12] ERROR:  relation "a" does not exist'),
        ("ansible-lint", "Passed: 0 failure(s), 0 warning(s) in 17 files processed of 23 encountered."),
    ],
)
def test_a_report_without_a_failure_is_none(line: str, printed: str) -> None:
    assert not run(1, sh(line, printed)).steps[0].failed


def test_a_command_to_a_daemon_that_only_failed_is_no_change_beside_others() -> None:
    edited = sh("sed -i 's/api:1.9.1/api:1.9.2/' deploy/compose.yaml && git commit -qam 'api 1.9.2'", "")
    refused = sh("docker-compose -f deploy/compose.yaml up -d", NO_DAEMON)
    assert effects(run(1, edited, refused), RULES) == {"git commit"}
    assert effects(run(1, edited, refused, outcome="failure"), RULES) == {"docker-compose up", "git commit"}
    assert effects(run(1, edited, sh("docker-compose up -d", "Starting api ... done")), RULES) >= {"docker-compose up"}


def test_a_command_of_docker_without_its_plugin_has_not_started() -> None:
    answer = "Exit code 125\nunknown shorthand flag: 'd' in -d\n\nUsage:  docker [OPTIONS] COMMAND [ARG...]"
    call = Call(0, "bash", {"command": "docker compose up -d"}, answer, None, START, None)
    assert not_started(call, "docker compose up -d") == {"docker compose up"}


@pytest.mark.parametrize(
    "said",
    [
        "Always roll out to one machine first (--limit web1), and only then to the others.",
        "The worker must always have the same release as the api.",
        "Never reload nginx by hand.",
    ],
)
def test_a_rule_for_machines_and_what_runs_on_them_is_kept(said: str) -> None:
    assert [statement.text for statement in explicit_statements(said)] == [said]


@pytest.mark.parametrize("said", ["The worker must have crashed.", "The roll out has always worked so far."])
def test_what_happened_to_a_machine_is_no_rule(said: str) -> None:
    assert explicit_statements(said) == []
