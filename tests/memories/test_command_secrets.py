"""Secrets that are given to a program in a command line, as agents that keep machines type them, are removed."""

import pytest

from memories.scanning.secret_removal import at_intake

SECRET = "plum-shore-7781"


@pytest.mark.parametrize(
    "line",
    [
        "ansible-vault encrypt_string 'SECRET' --name web_database_password",
        "(echo ---; ansible-vault encrypt_string --name web_database_password 'SECRET' 2>/dev/null) > vault.yml",
        'ansible-vault encrypt_string --vault-id dev@.vault "SECRET" -n token_of_api',
        "echo -n 'SECRET' | ansible-vault encrypt_string --stdin-name web_database_password",
        "printf '%s' 'SECRET' > ~/.vault_pass",
        "echo SECRET > .vault-pass && ansible-playbook site.yml",
        'echo "db:5432:shop:app:SECRET" >> ~/.pgpass',
        "gh secret set DEPLOY -b SECRET --env prod",
        'gh secret set DEPLOY --body "SECRET"',
        "echo SECRET | gh secret set DEPLOY",
        "printf 'SECRET' | podman secret create db -",
        "vault login SECRET",
        "vault kv put secret/db user=app value=SECRET",
        "kubectl create secret generic db --from-literal=value=SECRET",
        "openssl passwd -6 SECRET",
    ],
)
def test_a_secret_that_a_program_is_given_is_removed(line: str) -> None:
    kept = at_intake({"command": line.replace("SECRET", SECRET)})["command"]
    assert kept == line.replace("SECRET", "[password removed]")


@pytest.mark.parametrize(
    "line",
    [
        "ansible-vault encrypt group_vars/web/vault.yml --vault-password-file .vault-pass",
        "ansible-vault view group_vars/web/vault.yml",
        "ansible-vault encrypt_string --stdin-name web_database_password < value.txt",
        'gh secret set DEPLOY --body "$DEPLOY_VALUE"',
        "gh secret set DEPLOY < deploy.txt",
        "gh secret list",
        "echo done > vault.log",
        "vault kv get secret/db",
        "vault login -method=oidc",
        "kubectl create secret generic db --from-file=value.txt",
    ],
)
def test_a_line_without_a_secret_stays(line: str) -> None:
    assert at_intake({"command": line}) == {"command": line}
