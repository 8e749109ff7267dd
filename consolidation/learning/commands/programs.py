"""Closed lists of command line programs: subcommands, wrappers, options that write, read-only programs."""

import re


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
    "bin/rails t": "test",
    "rails t": "test",
}
# Options with which a program, or its subcommand, only lists what it would do.
LISTING_OPTIONS = {
    "cargo test": _words("--list --no-run"),
    "ctest": _words("-N --show-only"),
    "dotnet test": _words("-t --list-tests"),
    "go test": _words("-list"),
    **dict.fromkeys(_words("gradle gradlew"), _words("-m --dry-run")),
    "jest": _words("--listTests --showConfig"),
    "make": _words("-n --dry-run --just-print --recon"),
    "mocha": _words("--dry-run"),
    "nox": _words("-l --list --list-sessions"),
    "phpunit": _words("--list-tests --list-suites --list-groups"),
    "playwright": _words("--list"),
    "pytest": _words("--collect-only --collectonly --co --fixtures --markers"),
    "rspec": _words("--dry-run"),
    "tox": _words("-l --listenvs -a --listenvs-all"),
}

# Programs whose subcommand is part of the kind: git commit, go test, make lint.
SUBCOMMANDS = _words(
    """
    git hg svn docker docker-compose podman kubectl helm npm pnpm yarn bun cargo go pip uv poetry conda mamba apt
    apt-get brew dnf yum apk systemctl service terraform gh glab aws gcloud az make just dotnet mvn gradle ./gradlew
    gradlew rails rake bundle gem composer django-admin manage.py setup.py flask alembic coverage pre-commit rustup
    ollama heroku vercel fly redis-cli tox nox invoke inv poe task ruff deno swift flutter dart mix sbt bazel meson ng
    nx turbo mvnw bin/rails
    """
)
TWO_LEVELS = _words("gh glab aws gcloud az")
DEEPER = _lines(
    "git stash, docker compose, docker image, docker container, npm run, pnpm run, yarn run, uv pip, bun run,"
    "kubectl rollout"
)
LISTING = _lines("git branch, git tag, git remote, git worktree, git config")
_COMPOSE = _words("-f --file -p --project-name --profile --env-file --project-directory")
# Program, or program with subcommand -> its options whose value is the next word.
VALUED_OPTIONS = {
    "aws": _words("--profile --region --output --endpoint-url"),
    "conda": _words("-n --name -p --prefix --cwd"),
    "docker": _words("-H --host --context"),
    "docker compose": _COMPOSE,
    "docker-compose": _COMPOSE,
    "doas": _words("-u -C"),
    "env": _words("-u --unset -C --chdir"),
    "git": _words("-C -c --git-dir --work-tree"),
    "git stash": _words("-m --message"),
    "go": _words("-C"),
    "hatch": _words("-e --env -p --project"),
    "ionice": _words("-c --class -n --classdata"),
    "kubectl": _words("-n --namespace --context --kubeconfig"),
    "make": _words("-C --directory -f --file"),
    "mamba": _words("-n --name -p --prefix --cwd"),
    "mvn": _words("-f --file -pl --projects -P"),
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
    zcat ldd nm objdump tokei cloc ctags perldoc pydoc bc getent groups xargs findstr
    """
)
_READING_CMDLETS = re.compile(  # of PowerShell
    r"(?:get|select|test|measure|sort|format|where|group|compare|resolve|split|join|convertto|convertfrom)-[a-z]+"
    r"|write-(?:host|output)|out-(?:string|null|host)",
    re.IGNORECASE,
)
_READING_KINDS = _lines(
    """
    git log, git show, git diff, git status, git archive, git blame, git grep, git ls-files, git ls-tree, git ls-remote,
    git rev-parse, git rev-list, git describe, git shortlog, git cat-file, git merge-base, git reflog, git name-rev,
    git stash list, git stash show, git branch --list, git tag --list, git remote --list, git worktree --list,
    git config --list, git help, git whatchanged, git diff-tree, git show-ref, git for-each-ref, git, hg log, hg diff,
    hg status, svn log, svn diff, svn status, svn info, docker ps, docker images, docker logs, docker inspect,
    docker version, docker info, docker compose ps, docker compose logs, docker image ls, docker container ls,
    kubectl get, kubectl describe, kubectl logs, kubectl top, kubectl explain, helm list, helm status,
    npm ls, npm list,
    npm view, npm outdated, pnpm list, pnpm ls, yarn list, yarn info, yarn why, cargo tree, cargo metadata,
    cargo search,
    go list, go version, go env, go doc, pip list, pip show, pip freeze, pip index, uv pip list, uv pip show,
    uv pip freeze, conda list, conda info, conda search, mamba list, apt list, apt show, apt search,
    brew list, brew info,
    systemctl status, systemctl list-units, terraform plan, terraform show, gh pr view, gh pr list, gh pr diff,
    gh pr checks, gh issue view, gh issue list, gh run view, gh run list, gh repo view, gh search, gem list,
    rustup show, ollama list, coverage report
    """
)

# Read-only programs with the names of tools that act (a browser's `type`): their kind begins with `sh`.
ALSO_TOOLS = _words("type file date cut paste join split top free help look locate jobs expr cal select print")


def reads(kind: str) -> bool:
    """Return whether a command kind is read-only."""
    return (
        kind in _READING
        or kind.removeprefix("sh ") in ALSO_TOOLS - {kind, "split"}
        or kind in _READING_KINDS
        or kind.endswith((" --version", " --list"))
        or bool(_READING_CMDLETS.fullmatch(kind))
    )
