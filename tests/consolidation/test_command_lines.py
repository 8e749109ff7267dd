"""Command lines as Claude Code, Codex, opencode and others send them: which commands they run, and how."""

import pytest

from consolidation.learning.commands import commands, forms, purposes
from consolidation.learning.commands.shell import is_plain


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("time -p make test", ["make test"]),
        ("PGPASSWORD=[password removed] psql -c 'select 1'", ["sh psql"]),
        ("DATABASE_URL=postgres://app:[password removed]@db/shop docker-compose config -q", ["docker-compose config"]),
        ("/usr/bin/time -v python script.py", ["python"]),
        ("time (cd web && npm test)", ["npm test"]),
        ("sudo -n systemctl restart nginx", ["systemctl restart"]),
        ("ionice -c 2 -n 7 make -j 8 build", ["make build"]),
        ("command -v pytest && pytest -q", ["which", "pytest"]),
        ("pipx install ruff", ["pipx install"]),
        ("./gradlew clean :app:testDebug -x lint", ["gradlew testDebug"]),
        ("./mvnw -pl web -am test", ["mvnw test"]),
        ("dotnet ef migrations add X --project a", ["dotnet ef migrations add"]),
        ("php artisan migrate && bin/rails db:migrate", ["artisan migrate", "rails db:migrate"]),
        ("./vendor/bin/sail test && sail artisan test", ["sail artisan test"]),
        ("mix ecto.migrate && mix phx.routes", ["mix ecto.migrate", "mix phx.routes"]),
        ("tofu -chdir=a plan && sqlc generate", ["tofu plan", "sqlc generate"]),
        ("kubectl apply --dry-run=server -f a", ["kubectl apply --dry-run"]),
        ("cd tests && mkdir build && pytest tests && cp test a", ["mkdir", "pytest", "cp"]),
        ("uv run --project backend --extra dev pytest", ["pytest"]),
        ("uv --directory api run pytest", ["pytest"]),
        ("poetry -C api run pytest", ["pytest"]),
        ("sqlite3 -header shop.db '.schema' 'select count(*) from orders'", ["sh sqlite3"]),
        ("psql -h db -c 'update shop.orders set state = 1' && psql -l", ["UPDATE shop.orders", "psql -l"]),
        (
            "psql -c '\\d orders' && mysql -e 'SELECT 1' && sqlite3 shop.db < load.sql",
            ["sh psql", "sh mysql", "sqlite3"],
        ),
        ("uvx --from 'black==24.1' black .", ["black"]),
        ("npm exec -- eslint src", ["eslint"]),
        ("pnpm exec vitest run", ["vitest"]),
        ("pnpm --filter web test", ["pnpm test"]),
        ("npm -w web run -s test:unit", ["npm run test:unit"]),
        ("cargo +nightly test --all-features", ["cargo test"]),
        ("tox -e py312 -- -k slow", ["tox"]),
        ("git stash -m wip", ["git stash"]),
        ("docker exec -it web pytest -q", ["pytest"]),
        ("docker exec -e A=1 -w /app web bash -lc 'cd api && pytest -q | tail'", ["pytest", "tail"]),
        ("docker compose -f dev.yml exec -T web python manage.py migrate", ["manage.py migrate"]),
        ("docker compose -f dev.yml up -d", ["docker compose up"]),
        ("kubectl exec pod -n shop -- ls /", ["ls"]),
        ("docker exec web", ["docker exec"]),
        ('docker run --rm -v "$PWD":/app -w /app python:3.12 pytest -q', ["pytest"]),
        ("docker run -it --name a ubuntu:24.04 sh -c 'cd /a && make test'", ["make test"]),
        ("podman container run --rm img go test ./...", ["go test"]),
        ("docker run -d --name db -p 5432:5432 postgres:16", ["docker run"]),
        ("docker run --entrypoint bash img -c pytest", ["docker run"]),
        ('ssh -p 2222 -i key ann@web "cd /srv && git pull && pytest -q | tail"', ["git pull", "pytest", "tail"]),
        ("sudo ssh web systemctl restart nginx", ["systemctl restart"]),
        ("ansible web1 -b -m shell -a 'cd /srv && git pull'", ["git pull"]),
        ("ansible all -a uptime && ansible all -m ansible.builtin.ping", ["uptime", "ansible ping"]),
        ("ansible web1 -m service -a 'name=nginx state=restarted'", ["ansible service"]),
        ("ansible web1 -m copy -a 'src=a dest=b' --check", ["ansible copy --check"]),
        (
            "ansible-playbook -CD site.yml && ansible-playbook -D site.yml",
            ["ansible-playbook --check", "ansible-playbook"],
        ),
        ("service nginx status && systemctl restart nginx", ["service status", "systemctl restart"]),
        ("docker network ls; docker network rm a", ["docker network ls", "docker network rm"]),
        ("psql -q shop <<'SQL'\nselect 1;\nupdate orders set state = 2;\nSQL", ["UPDATE orders"]),
        ("psql shop <<'SQL'\nbegin;\nupdate orders set state = 2;\nrollback;\nSQL", ["sh psql"]),
        ("echo 'delete from orders' | docker exec -i db psql -U app shop", ["echo", "DELETE orders"]),
        ("echo done | tee log; psql -f a.sql", ["echo", "tee", "psql"]),
        ("psql -c 'explain update orders set state = 2'", ["sh psql"]),
        ("psql -c 'explain (analyze) update orders set state = 2'", ["UPDATE orders"]),
        ("psql -c 'create index concurrently if not exists by_state on orders (state)'", ["CREATE by_state"]),
        ("psql -c 'grant select on orders to reader' -c 'vacuum analyze orders'", ["GRANT orders"]),
        ("psql -c '\\copy orders to a.csv csv'; psql -c '\\copy orders from a.csv csv'", ["sh psql", "COPY orders"]),
        ("ssh -N -L 5432:localhost:5432 web", ["ssh"]),
        ("uv tool run --from black==24.1 black .", ["black"]),
        ("uv tool install ruff", ["uv tool"]),
        ("npm t && pnpm t && cargo t && rails t", ["npm test", "pnpm test", "cargo test", "rails test"]),
        (r".venv\Scripts\python.exe -m pytest -q", ["pytest"]),
        (r".\.venv\Scripts\Activate.ps1; pytest", ["pytest"]),
        (r'"C:\Program Files\Git\bin\git.exe" status', ["git status"]),
        (r"C:\Python312\python.exe -m pytest", ["pytest"]),
        ("npm.cmd test", ["npm test"]),
        ("powershell.exe -NoProfile -Command \"npm test; Get-Content 'a b.txt'\"", ["npm test", "Get-Content"]),
        ('cmd /c "cd web && npm test"', ["npm test"]),
        ('$env:CI="1"; npm test', ["npm test"]),
        ("../.venv/bin/python -m ruff check", ["ruff check"]),
        ("yarn workspace web test", ["yarn test"]),
        ("bin/rails test && npx nx test web", ["rails test", "nx test"]),
        ("conda activate work && pytest", ["pytest"]),
        ("diff <(sort a) <(sort b | uniq) && ls", ["diff", "ls"]),
        ("echo `ls | wc -l`", ["echo"]),
        ('cp "$(dirname "$(realpath "$f")"; echo x)/a" b && ls', ["cp", "ls"]),
        ("ls  # don't look; rm is next\nmake", ["ls", "make"]),
        ("pytest -q  # it's slow | rm", ["pytest"]),
        ("cat <<< hello\nrm -rf build", ["cat", "rm"]),
        ("cat <<\\EOF > notes.md\nit's here; rm all\nEOF\nls", ["cat >", "ls"]),
        ("cat <<'END-OF-FILE' > notes.md\nit's here\nEND-OF-FILE\nls", ["cat >", "ls"]),
        ("echo $((1 << 3)) && rm a\nls", ["echo", "rm", "ls"]),
        (r"echo $'it\'s' && ls", ["echo", "ls"]),
    ],
)
def test_the_commands_of_a_line_are_told_from_what_wraps_and_surrounds_them(line: str, kinds: list[str]) -> None:
    assert list(commands.kinds(line)) == kinds


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("pytest --collect-only -q tests", ["pytest --collect-only"]),
        ("uv run python -m pytest --co", ["pytest --co"]),
        ("cargo test -- --list", ["cargo test --list"]),
        ("make -n test", ["make test -n"]),
        ("go test -list . ./...", ["go test -list"]),
        ("pytest tests --help", ["pytest --version"]),
        ("npm test -- --help", ["npm --version"]),
        ("python manage.py test --help", ["manage.py --version"]),
        ("python tests/runtests.py --help", ["tests/runtests.py --version"]),
        ("go test ./... --version", ["go --version"]),
    ],
)
def test_what_lists_tests_or_explains_how_to_run_them_runs_none(line: str, kinds: list[str]) -> None:
    assert list(commands.kinds(line)) == kinds
    assert all(map(commands.reads, kinds))


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("tox -- -l", "tox"),
        ("pytest -k collect -q", "pytest"),
        ("helm install --version 1.2 web chart", "helm install"),
        ("make --jobs 4 test", "make test"),
    ],
)
def test_options_with_other_meanings_leave_a_command_what_it_is(line: str, kind: str) -> None:
    assert list(commands.kinds(line)) == [kind]
    assert not commands.reads(kind)


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("docker compose exec -T web pytest -q", "docker compose exec web pytest"),
        ("docker exec 3f2a9c pytest -q", "docker exec <container> pytest"),
        ("docker exec web bash -lc 'cd api && pytest -q'", "docker exec <container> pytest"),
        ("ssh ann@web 'cd api && pytest -q'", "ssh <host> pytest"),
        ("./.venv/bin/pytest -q", ".venv/bin/pytest"),
        (".venv/bin/python -m pytest", ".venv/bin/python -m pytest"),
        ("uv --directory api run --extra dev python -m pytest", "uv run python -m pytest"),
    ],
)
def test_how_a_check_was_called_says_where_it_ran_and_what_for(line: str, form: str) -> None:
    assert [called for _, called in forms.kind_forms(line)] == [form]
    assert purposes.purpose(form) == purposes.TESTS


def test_a_form_is_shown_with_its_virtual_environment_and_never_with_a_container() -> None:
    assert purposes.may_be_named(".venv/bin/python -m pytest")
    assert purposes.may_be_named("docker compose exec web pytest")
    assert not purposes.may_be_named("docker exec <container> pytest")
    assert not purposes.may_be_named("/home/ann/.venv/bin/pytest")


@pytest.mark.parametrize(
    "line",
    ["npm test > log 2>&1 &", "pytest & wait", "(make) &", "! pytest -q", "bash -lc 'pytest | tail'", "make; pytest"],
)
def test_an_exit_code_that_is_not_the_last_commands_tells_nothing(line: str) -> None:
    assert not is_plain(line)


def test_an_exit_code_of_commands_that_stop_at_a_failure_is_that_of_the_last() -> None:
    assert is_plain("cd api && pytest -q 2>&1 > log")
    assert is_plain("bash -lc 'cd api && pytest -q'")


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("ruff format", "format"),
        ("cargo fmt", "format"),
        ("ruff check", "lint"),
        ("npm test", "tests"),
        ("npm", "packages"),
        ("make test", "tests"),
        ("mvn test", "tests"),
        ("make check", "tests"),
        ("make lint", "lint"),
        ("make", "build"),
        ("make all", "build"),
        ("mvn package", "build"),
        ("make migration", "make migration"),
        ("make deploy", "make deploy"),
        ("gradle generateApi", "generateApi"),
        ("./gradlew generateApi", "generateApi"),
        ("terraform init", "init"),
        ("tofu init", "init"),
        ("php artisan make:model", "php"),
    ],
)
def test_the_purpose_of_a_command_is_that_of_its_subcommand_or_target(form: str, name: str) -> None:
    assert purposes.purpose(form) == name


@pytest.mark.parametrize("kind", ["Get-ChildItem", "Select-String", "Write-Output", "findstr"])
def test_cmdlets_that_look_are_read_only(kind: str) -> None:
    assert commands.reads(kind)
    assert not commands.reads("Set-Content")
    assert not commands.reads("Out-File")


def test_a_subcommand_that_shows_something_reads_whatever_the_program() -> None:
    assert all(map(commands.reads, ["helm history", "mix phx.routes", "aws ec2 describe-vpcs", "artisan route:list"]))
    changing = ["go get", "make list", "npm run status", "atlas migrate diff", "kubectl rollout status"]
    assert not any(map(commands.reads, changing))


@pytest.mark.parametrize(
    "line",
    [
        *("terraform plan -out=a.plan", "tofu -chdir=a plan", "pulumi preview --diff", "npx cdk synth", "cdk diff"),
        *("kubectl diff -f a", "kubectl kustomize a", "helm template a", "helm lint a", "helm diff upgrade a ./a"),
        *("docker-compose config", "docker compose -f a.yml config", "ansible-playbook a.yml --check"),
        *("npm pack --dry-run", "git push -n origin main", "git clean -nd", "git apply --check a.patch"),
        *("rsync -avn a b", "make -n deploy", "apt-get -s install jq", "aws s3 sync a s3://b --dryrun"),
        "python manage.py migrate --plan",
    ],
)
def test_what_only_tells_what_would_be_done_changes_nothing(line: str) -> None:
    assert all(map(commands.reads, commands.kinds(line)))


@pytest.mark.parametrize(
    "line",
    [
        *(
            "terraform apply a.plan",
            "make plan",
            "npm run diff",
            "npm pack",
            "git clean -fd",
            "rsync -av --no-owner a b",
        ),
        *("git commit -nm 'Mend it'", "kubectl apply --dry-run=none -f a", "helm template a > a.yml", "cp -n a b"),
    ],
)
def test_what_looks_like_that_and_acts_is_a_change(line: str) -> None:
    assert not all(map(commands.reads, commands.kinds(line)))


def test_a_wrapper_of_a_build_is_named_as_it_is_called() -> None:
    calls = [(n, f"cd /w && ./gradlew :part{n}:test --quiet") for n in range(3)]
    assert forms.kind_forms(calls[0][1]) == (("gradlew test", "./gradlew test"),)
    assert purposes.may_be_named("./gradlew test") and not purposes.may_be_named("../a.sh")
    assert forms.usual_shape("./gradlew test", calls) == "./gradlew :{name}:test --quiet"


def test_parentheses_that_group_what_find_looks_for_open_no_subshell() -> None:
    line = (
        r"""find . -type f \( -name '*.md' -o -name 'README*' \) -not -path './.git/*' -exec sh -c 'cat "$1"' _ {} \;"""
    )
    assert commands.kinds(line) == ("cat", "find")
    assert commands.kinds(r"(cd web && make) ; grep '\(a\)' x") == ("make", "grep")
