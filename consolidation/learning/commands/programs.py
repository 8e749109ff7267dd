"""Closed lists of command line programs: subcommands, wrappers, options that write, read-only programs."""

import re

from memories.lexicon.tool_words import READING, SHOWING


def _lines(text: str) -> frozenset[str]:
    return frozenset(line.strip() for line in text.replace("\n", ",").split(",") if line.strip())


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PYTHON = _words("python python2 python3 pypy pypy3 py")
SHELLS = _words("bash sh zsh dash ksh powershell pwsh cmd")

# Commands that prepare others and change nothing that lasts.
NEUTRAL = _words(
    """
    cd pushd popd export set unset source . alias ulimit umask true false : exit return sleep wait test [ [[ shopt local
    trap eval read break continue Set-Location activate Activate.ps1
    """
) | _lines("conda activate, conda deactivate, mamba activate")

# Wrapper -> the words of which one stands between it and the program that it runs; empty: none does.
_PLAIN_WRAPPERS = _words(
    "sudo doas env timeout nohup nice ionice stdbuf command exec builtin unbuffer xvfb-run watch npx bunx uvx corepack "
    "cross-env"
)
TRANSPARENT = _words("sudo doas env timeout nohup nice ionice stdbuf command exec builtin unbuffer")  # same environment
WRAPPERS = {
    **dict.fromkeys(_PLAIN_WRAPPERS, frozenset[str]()),
    **dict.fromkeys(_words("poetry pipenv pdm hatch rye pixi conda mamba pipx"), _words("run")),
    "uv": _lines("run, tool run"),
    **dict.fromkeys(_words("bundle pyenv rbenv"), _words("exec")),
    **dict.fromkeys(_words("npm mise"), _words("exec x")),
    **dict.fromkeys(_words("pnpm yarn"), _words("exec dlx")),
    "bun": _words("x"),
}
# Programs that run another one elsewhere, in the container or pod that the next word names.
CONTAINERS = _words("docker podman docker-compose kubectl")
_NEW_CONTAINER = _lines("docker run, podman run, docker container run, podman container run")
IN_CONTAINER = _NEW_CONTAINER | _lines(
    """
    docker exec, podman exec, docker container exec, podman container exec, docker compose exec, docker compose run,
    docker-compose exec, docker-compose run, kubectl exec
    """
)

# Short names of subcommands.
SHORT = {
    **dict.fromkeys(("npm t", "npm tst", "pnpm t"), "test"),
    "cargo b": "build",
    "cargo c": "check",
    "cargo r": "run",
    "cargo t": "test",
    "sail test": "artisan test",
    "rails t": "test",
}
# Options with which a program, or its subcommand, only lists what it would do.
LISTING_OPTIONS = {
    **dict.fromkeys(_words("apt apt-get"), _words("-s --simulate --just-print --no-act")),
    "aws": _words("--dryrun"),
    "cargo test": _words("--list --no-run"),
    "ctest": _words("-N --show-only"),
    "dotnet test": _words("-t --list-tests"),
    **dict.fromkeys(_lines("git add, git clean, git push"), _words("-n")),
    "git apply": _words("--check --stat --numstat --summary"),
    "go test": _words("-list"),
    **dict.fromkeys(_words("gradle gradlew"), _words("-m")),
    "ansible": _words("--check -C --list-hosts"),
    "ansible-playbook": _words("--check -C --syntax-check --list-tasks --list-hosts --list-tags"),
    "crontab": _words("-l"),
    "pg_restore": _words("-l --list"),
    "psql": _words("-l --list"),
    "run-parts": _words("--test --list"),
    "jest": _words("--listTests --showConfig"),
    "make": _words("-n --just-print --recon"),
    "manage.py migrate": _words("--plan"),
    "nox": _words("-l --list --list-sessions"),
    "phpunit": _words("--list-tests --list-suites --list-groups"),
    "playwright": _words("--list"),
    **dict.fromkeys(_words("rsync rclone"), _words("-n")),
    "pytest": _words("--collect-only --collectonly --co --fixtures --markers"),
    "tox": _words("-l --listenvs -a --listenvs-all"),
}
LONG = {"-C": "--check"}  # what a short one of these is called elsewhere
# Of these the short option may stand in a group: `rsync -avn`, `ansible-playbook -CD`.
GROUPING = _lines("git add, git clean, git push, rsync, ansible, ansible-playbook")

# Programs that a project has in a folder of its own, and are those of this name: bin/rails, vendor/bin/phpunit.
INSTALLED = _words("rails rake rspec rubocop phpunit pest pint phpstan psalm php-cs-fixer sail")

# Programs whose subcommand is part of the kind: git commit, go test, make lint.
SUBCOMMANDS = _words(
    """
    git hg svn docker docker-compose podman kubectl helm npm pnpm yarn bun cargo go pip uv poetry conda mamba apt
    apt-get brew dnf yum apk systemctl service terraform gh glab aws gcloud az make just dotnet mvn gradle ./gradlew
    gradlew rails rake bundle gem composer django-admin manage.py setup.py flask alembic coverage pre-commit rustup
    ollama heroku vercel fly redis-cli tox nox invoke inv poe task ruff deno swift flutter dart mix sbt bazel meson ng
    nx turbo mvnw artisan bin/console sail tofu terragrunt
    """
)
# Of any other program the first argument is a subcommand where it is a verb; of these it is a file or a name.
OF_FILES = _words(
    """
    python node ruby perl php java rm mkdir rmdir cp mv ln touch chmod chown tar unzip zip gzip kill pkill killall tee
    rsync scp patch vi vim nano code open createdb dropdb createuser psql mysql sqlite3 su useradd usermod gcc g++ cc
    c++ clang clang++ javac rustc screen tmux script apply_patch Rscript R julia dd dos2unix split install
    """
)
GOALS = _words("mvn mvnw gradle gradlew")  # may be called with several, of which `clean` tells least
TWO_LEVELS = _words("gh glab aws gcloud az sail")
DEEPER = _lines(
    """
    git stash, docker compose, docker image, docker container, npm run, pnpm run, yarn run, uv pip, bun run,
    kubectl rollout, docker buildx, deno task, turbo run, composer run, composer run-script, mise run, helm dependency,
    docker network, docker volume, docker system, docker context, terraform workspace, tofu workspace, swift package,
    dotnet ef, dotnet ef migrations, dotnet ef database, cargo sqlx, prisma migrate, prisma db,
    sqlx migrate, diesel migration, atlas migrate, atlas schema, terraform state, tofu state, nix flake, flutter pub,
    rails g, rails generate
    """
)
LISTING = _lines("git branch, git tag, git remote, git worktree, git config")
_COMPOSE = _words("-f --file -p --project-name --profile --env-file --project-directory")
# Program, or program with subcommand -> its options whose value is the next word.
VALUED_OPTIONS = {
    "aws": _words("--profile --region --output --endpoint-url"),
    "az": _words("--subscription -g --resource-group -o --output"),
    "conda": _words("-n --name -p --prefix --cwd"),
    "docker": _words("-H --host --context"),
    "docker compose": _COMPOSE,
    "docker-compose": _COMPOSE,
    "doas": _words("-u -C"),
    "env": _words("-u --unset -C --chdir"),
    "gcloud": _words("--project --account --configuration --format --impersonate-service-account"),
    "gh": _words("-R --repo --hostname"),
    "git": _words("-C -c --git-dir --work-tree"),
    "git stash": _words("-m --message"),
    "go": _words("-C"),
    "hatch": _words("-e --env -p --project"),
    "ionice": _words("-c --class -n --classdata"),
    "kubectl": _words("-n --namespace --context --kubeconfig"),
    "make": _words("-C --directory -f --file"),
    "mamba": _words("-n --name -p --prefix --cwd"),
    **dict.fromkeys(_words("mvn mvnw"), _words("-f --file -pl --projects -P -rf -s --settings -T")),
    **dict.fromkeys(_words("gradle gradlew"), _words("-p --project-dir -x --exclude-task -b -c -I --init-script")),
    "helm": _words("-n --namespace --kube-context --kubeconfig"),
    "nice": _words("-n --adjustment"),
    "npm": _words("--prefix -w --workspace -C --package"),
    "npx": _words("-p --package"),
    "pdm": _words("-p --project"),
    "pipx": _words("--spec --python"),
    "pnpm": _words("--filter -F -C --dir --package"),
    "poetry": _words("-C --directory -P --project"),
    "ssh": _words("-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"),
    "sudo": _words("-u --user -g --group -h -p -C -D --chdir -T -U"),
    "time": _words("-o --output -f --format"),
    "timeout": _words("-s --signal -k --kill-after"),
    "tox": _words("-e -c --conf"),
    "uv": _words(
        "--with --with-requirements --with-editable --extra --group --only-group --package --project --directory -p "
        "--python --env-file --index --index-url --default-index"
    ),
    "uvx": _words("--from --with --with-requirements --with-editable -p --python --index-url"),
    "watch": _words("-n --interval"),
    "xvfb-run": _words("-s --server-args -n --server-num"),
    "yarn": _words("--cwd workspace"),  # `yarn workspace web test`
    **dict.fromkeys(
        IN_CONTAINER,
        _words("-e --env --env-file -w --workdir -u --user -n --namespace -c --container --index --entrypoint -v -p"),
    ),
    **dict.fromkeys(
        _NEW_CONTAINER,
        _words(
            "-a --add-host --annotation --attach -c --cap-add --cap-drop --cgroup-parent --cidfile --cpus "
            "--cpuset-cpus --device --dns -e --entrypoint --env --env-file --expose --gpus --group-add -h "
            "--health-cmd --hostname --ip --ipc -l --label --link --log-driver --log-opt -m --mac-address --memory "
            "--memory-swap --mount --name --net --network --network-alias -p --pid --pids-limit --platform "
            "--publish --pull --restart --runtime --security-opt --shm-size --stop-signal --stop-timeout --sysctl "
            "--tmpfs -u --ulimit --user --userns -v --volume --volumes-from -w --workdir"
        ),
    ),
}
RUNNERS = _words("runtests.py run_tests.py runtest.py test.py")

# Options that make a reading program write; the first one names the kind.
WRITING_OPTIONS: dict[str, tuple[str, ...]] = {
    "sed": ("-i", "--in-place"),
    "perl": ("-i",),
    "find": ("-delete",),
    "fd": ("-delete",),
    "sort": ("-o", "--output"),
    "curl": ("-X", "--request", "-d", "--data", "--data-raw", "--json", "-F", "-T", "-o", "-O", "--output"),
    "yq": ("-i", "--inplace"),
}

_READING = _words(
    """
    ls ll dir cat tac head tail less more bat grep egrep fgrep zgrep rg ag ack find fd tree wc nl stat du df pwd
    which whereis whoami id uname hostname printenv env echo printf sort uniq tr awk gawk sed
    diff cmp comm md5sum sha1sum sha256sum xxd od hexdump strings jq yq column fold fmt rev basename dirname realpath
    readlink history ps uptime lsof netstat ss nproc curl ping dig nslookup man seq
    fuser dmesg journalctl pgrep pidof lsblk lscpu vmstat iostat traceroute sha512sum cksum
    zcat ldd nm objdump tokei cloc ctags perldoc pydoc bc getent groups xargs findstr pg_isready ansible-doc
    ansible-inventory ansible-config lvs pvs vgs
    """
)
_READING_CMDLETS = re.compile(  # of PowerShell
    r"(?:get|select|test|measure|sort|format|where|group|compare|resolve|split|join|convertto|convertfrom)-[a-z]+"
    r"|write-(?:host|output)|out-(?:string|null|host)",
    re.IGNORECASE,
)
_READING_KINDS = _lines(
    """
    git archive, git blame, git grep, git rev-parse, git rev-list, git shortlog, git cat-file, git merge-base,
    git reflog, git name-rev, git help, git whatchanged, git for-each-ref, git fetch, git cherry, git var,
    git check-ignore, git count-objects, git range-diff, git verify-tag, git verify-commit, git, docker ps,
    docker images, docker version,
    docker compose ps, kubectl get, kubectl top, kubectl version, helm get, helm template,
    cargo metadata, go version, go env, go doc, pip freeze, pip index, uv pip freeze, gh pr checks, gh run list,
    gh run view, gh run watch, gh run download, gh search code, gh search commits, gh search issues, gh search prs,
    gh search repos, coverage report, terraform output, tofu output, kubectl kustomize, kustomize build,
    docker compose images, docker compose port, docker compose top, docker-compose ps, docker-compose images,
    docker-compose port, docker-compose top, docker events, docker port, docker stats, docker top, docker system df,
    docker-compose version, docker compose version, podman ps, podman images, podman port, podman stats, podman top,
    podman version, systemctl, systemctl cat, systemctl is-enabled, systemctl is-failed, systemctl get-default,
    bazel query, bazel cquery, bazel aquery, bazel version, terraform version, terraform providers, terraform graph,
    tofu version, tofu providers, tofu graph, swift package show-dependencies, gh browse, gh config get,
    kubectl api-resources, kubectl api-versions, kubectl cluster-info, redis-cli get, redis-cli ping, etcdctl get,
    flux get, consul members, ansible assert, ansible debug, ansible fetch, ansible find, ansible getent,
    ansible gather_facts, ansible package_facts, ansible ping, ansible service_facts, ansible setup, ansible slurp,
    ansible stat, ansible wait_for, ansible wait_for_connection
    """
)
# They tell what would be done, and thereby check it.
PREVIEWS = _lines(
    """
    terraform plan, tofu plan, terragrunt plan, pulumi preview, cdk synth, cdk synthesize, helm lint,
    docker compose config, docker-compose config
    """
)
_SCRIPTS = _words("make just task rake inv invoke poe")  # each project names its targets itself

# Their kind is the statement that they are given; `sh sqlite3` for a query.
DATABASE_CLIENTS = _words("sqlite3 psql mysql mariadb duckdb clickhouse-client")
# Read-only programs with the names of tools that act (a browser's `type`): their kind begins with `sh`.
ALSO_TOOLS = _words("type file date cut paste join split top free help look locate jobs expr cal select print")


_ONLY_LISTING = frozenset({"--version", "--list", "--dry-run"}).union(*LISTING_OPTIONS.values())


def reads(kind: str) -> bool:
    """Return whether a command kind is read-only."""
    return (
        kind in _READING
        or kind.removeprefix("sh ") in (ALSO_TOOLS | DATABASE_CLIENTS) - {kind, "split"}
        or kind in _READING_KINDS | PREVIEWS
        or kind.rpartition(" ")[2] in _ONLY_LISTING
        or bool(_READING_CMDLETS.fullmatch(kind))
        or _reads_by_name(kind)
    )


def _reads_by_name(kind: str) -> bool:
    """Return whether the subcommand is one that only shows: `helm history`, `mix phx.routes`, `aws ec2 describe-vpcs`.

    Not the state that `kubectl rollout status` waits for, nor a script of the project.
    """
    program, *subcommands = kind.split()
    if not subcommands or not program[0].islower() or program in _SCRIPTS or "run" in subcommands:
        return False
    first, last = subcommands[-1].split("-")[0], re.split("[.:]", subcommands[-1])[-1]
    looks = (
        SHOWING | READING if len(subcommands) == 2 and program not in SUBCOMMANDS else SHOWING
    )  # shopctl orders find
    return bool(looks & {first, last}) and kind not in {"kubectl rollout status", "atlas migrate diff"}
