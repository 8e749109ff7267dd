"""Which command lines only look at machines and services, and which change them."""

import pytest

from consolidation.learning.commands import commands


@pytest.mark.parametrize(
    "line",
    [
        "ansible-playbook site.yml --check --diff --limit web1",
        "ansible-playbook site.yml --syntax-check",
        "ansible all -m ping",
        "ansible-inventory --graph",
        "ansible-vault view group_vars/all/vault.yml",
        "docker compose config -q",
        "docker compose top",
        "gh pr view 12 --json state",
        "gh pr checks 12",
        "systemctl is-enabled nginx",
        "systemctl cat nginx",
        "service nginx status",
        "journalctl -u nginx -n 50",
        "crontab -l",
        "terraform workspace list",
        "bazel query 'deps(//a)'",
        "swift package show-dependencies",
        "psql -l",
        "psql -c 'select 1'",
        "pg_restore --list a.dump",
    ],
)
def test_what_only_looks_at_machines_and_services_changes_nothing(line: str) -> None:
    assert all(map(commands.reads, commands.kinds(line)))


@pytest.mark.parametrize(
    "line",
    [
        "ansible-playbook site.yml --diff",
        "ansible web1 -m service -a 'name=nginx state=restarted'",
        "ansible-vault encrypt a.yml",
        "docker compose up -d",
        "gh pr merge 12 --squash",
        "systemctl restart nginx",
        "service nginx restart",
        "crontab new.txt",
        "terraform workspace new a",
        "bazel run //a",
        "swift package update",
        "psql -f a.sql",
        "psql -c 'revoke all on orders from reader'",
        "pg_restore -d shop a.dump",
    ],
)
def test_what_changes_machines_and_services_is_not_taken_for_a_look(line: str) -> None:
    assert not any(map(commands.reads, commands.kinds(line)))
