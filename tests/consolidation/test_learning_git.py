"""Releases and changes of a project by git, as agents typed them: what only reads, what prepares, what was pushed."""

import pytest

from consolidation.learning.commands import commands
from consolidation.learning.effects.effects import effects, with_single_commands
from consolidation.learning.runs import terms
from consolidation.learning.runs.run import Run
from tests.consolidation.recorded import RULES, Script, learned, run

RELEASE = {"bin/pages", "bin/setversion", "git commit", "git push", "git tag", "unittest"}
CHANGE = {"bin/pages", "git commit", "git push", "unittest"}
MAIN_FIRST = "remote: refused: stable takes only what main has: push main first        "
STABLE_FIRST = "remote: refused: tag {} is not on stable: push stable first        "
ASKED = ("Please release what is on main as {}.", "Can you cut {} from main?", "Let's publish {}!", "Get {} out.")
PUSHED = "git push origin main && git push origin main:stable && git push origin ratebox-{version}"  # in this order


def sh(line: str, printed: str = "") -> Script:
    return "bash", {"command": line}, printed


def refused(said: str, *refs: str) -> str:
    lines = [f" ! [remote rejected] {ref} -> {ref} (pre-receive hook declined)" for ref in refs]
    return "\n".join([said, "To /srv/ratebox.git", *lines, "error: failed to push some refs to '/srv/ratebox.git'"])


def went(*refs: str) -> str:
    lines = [f"   f5cb82e..af119a2  {ref}" if " -> " in ref else f" * [new tag]         {ref} -> {ref}" for ref in refs]
    return "\n".join(f"To /srv/ratebox.git\n{line}" for line in lines)


def written(version: str) -> tuple[Script, ...]:
    """The files are changed: by `sed -i`, by Python in a here-document and by the project's own scripts."""
    shown = "".join(
        f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n+{line}\n"
        for path, line in (
            ("CHANGES.md", f"## {version} - 2026-11-30"),
            ("pages/rates.md", f"# Rates of ratebox {version}"),
            ("setup.cfg", f"version = {version}"),
            ("src/ratebox/__init__.py", f'__version__ = "{version}"'),
        )
    )
    typed = f'from pathlib import Path\np=Path("CHANGES.md"); p.write_text(p.read_text() + "## {version}")'
    return (
        sh("git status -sb; git fetch --tags; git config user.name; git remote -v; git log -3", "## main"),
        sh(
            f"set -e\nbin/setversion {version}\nsed -i 's/^__version__ = .*/x/' src/ratebox/__init__.py\n"
            f"python3 - <<'P'\n{typed}\nP\nbin/pages\npython3 -m unittest discover tests\ngit diff; git status -s",
            f"Ran 1 test in 0.000s\nOK\n{shown}",
        ),
    )


def released(n: int) -> Run:
    """The n-th release; in three ways refused at first, with the order in three ways in the end."""
    version = f"1.{n}.{n + 2}"
    tag, made = f"ratebox-{version}", f'git commit -qam "ratebox {version}" -m "Release: {version}"'
    tagged = f'set -e\n{made}\ngit tag -a {tag} -m "ratebox {version}"\n'
    to_main, to_tag = "git push origin main", f"git push origin {tag}"
    ways: tuple[tuple[Script, ...], ...] = (
        (
            sh(
                f"{tagged}git branch -f stable main\ngit push --atomic origin main stable {tag}\ngit ls-remote origin",
                f"{refused(MAIN_FIRST, 'main', 'stable', tag)}\n[exit code 1]",
            ),
            sh("git push origin main\ngit ls-remote origin", went("main -> main")),
            sh(f"git push origin stable\ngit push origin {tag}", went("stable -> stable", tag)),
        ),
        (
            sh(f"{tagged}git push --atomic origin main {tag} || true", refused(STABLE_FIRST.format(tag), "main", tag)),
            sh(
                f"{to_main} && git fetch -q . main:stable && git push origin stable && {to_tag}",
                went("main -> main", "stable -> stable", tag),
            ),
        ),
        (
            sh(f"{tagged}git push --atomic origin main {tag} || true", refused(STABLE_FIRST.format(tag), "main", tag)),
            sh(
                f"git fetch -q && git push origin main:stable && {to_main} && {to_tag}\ngit log",
                f"{MAIN_FIRST}\nTo /srv/ratebox.git\n ! [remote rejected] main -> stable (pre-receive hook declined)",
            ),
            sh(
                f"{to_main} && git push origin main:stable && {to_tag}\ngit branch -f stable main",
                went("main -> main", "main -> stable", tag),
            ),
        ),
    )
    return run(n, ASKED[n % len(ASKED)].format(version), *written(version), *ways[n % 3])


def changed(n: int) -> Run:
    typed = f"sed -i 's/^## Next$/x{n}/' CHANGES.md; sed -i 's/a/b/' src/ratebox/rates.py; bin/pages"
    return run(
        20 + n,
        f"We ship to country {n}, add it to the zone and push.",
        sh(f"{typed}; python3 -m unittest discover tests", "Ran 1 test in 0.000s\nOK"),
        sh(f'git commit -qam "Country {n}" && git push origin main; git fetch', went("main -> main")),
    )


RELEASES, CHANGES = [released(n) for n in range(6)], [changed(n) for n in range(4)]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("git config user.name", "git config --list"),
        ("git config --global --get user.email", "git config --list"),
        ("git config user.name bot", "git config"),
        ("git fetch", "git fetch"),
        ("git fetch -q --prune --tags origin main", "git fetch"),
        ("git fetch origin +refs/heads/*:refs/remotes/origin/*", "git fetch"),
        ("git fetch -q . main:stable", "git branch"),
        ("git push . main:stable", "git branch"),
        ("git branch --contains af119a2", "git branch --list"),
        ("git branch -f stable main", "git branch"),
        ("git tag -l 'v1*'", "git tag --list"),
        ("git tag -a v1 -m v1", "git tag"),
        ("git remote show origin", "git remote --list"),
        ("git remote add fork /srv/fork.git", "git remote"),
    ],
)
def test_commands_of_git_are_told_apart_by_what_they_do(line: str, kind: str) -> None:
    assert commands.kinds(line) == (kind,)
    assert commands.reads(kind) == (kind.endswith(" --list") or kind == "git fetch")


def test_runs_that_pushed_in_different_ways_had_the_same_effects() -> None:
    assert {effects(each, RULES) for each in RELEASES} == {frozenset(RELEASE)}
    assert {effects(each, RULES) for each in CHANGES} == {frozenset(CHANGE)}
    assert all(
        effects(with_single_commands(each, RULES), RULES) == effects(each, RULES) for each in [*RELEASES, *CHANGES]
    )


@pytest.mark.parametrize(
    ("line", "printed", "pushes"),
    [
        ("git push origin main || true", refused(MAIN_FIRST, "main"), [("main", True)]),
        ("git push origin main && git push origin v1", refused(MAIN_FIRST, "main"), [("main", True)]),
        ("git push origin main; git push origin v1", went("main -> main", "v1"), [("main", False), ("v1", False)]),
        ("git push -q origin HEAD:refs/heads/main", "", [("HEAD:main", False)]),
        ("git push --follow-tags", f"{went('main -> main')}\n * [new tag]         v1 -> v1", [("main v1", False)]),
        ("git push origin main", "fatal: unable to access 'https://a.example/': 403", [("main", True)]),
        (
            "git push origin main v1",
            "To /srv/x.git\n * [new tag]         v1 -> v1\n ! [rejected]        main -> main (fetch first)",
            [("v1", False), ("main", True)],
        ),
    ],
)
def test_each_push_of_a_line_ends_as_its_output_says(line: str, printed: str, pushes: list[tuple[str, bool]]) -> None:
    steps = with_single_commands(run(1, "Do it.", sh(line, printed)), RULES).steps
    assert [(" ".join(call.push.refs), call.failed) for call in steps if call.push] == pushes


def test_a_push_that_was_only_refused_is_no_effect_of_a_run_that_ended_well() -> None:
    lines = (sh("git commit -m x", "done"), sh("git push origin main || true", refused(MAIN_FIRST, "main")))
    assert effects(run(1, "Fix it.", *lines), RULES) == {"git commit"}
    assert effects(run(1, "Fix it.", *lines, outcome="failure"), RULES) == {"git commit", "git push"}
    not_reached = sh("make test && git push origin main", "make: *** [test] Error 2\n[exit code 2]")
    assert effects(run(1, "Fix it.", not_reached), RULES) == {"make test"}


def test_a_skill_says_what_to_commit_tag_and_push_and_in_which_order() -> None:
    fields = learned(RELEASES, [*RELEASES, *CHANGES]).fields
    assert fields.procedure.splitlines() == [
        "1. Look first: `git log`.",
        "2. Change the files (`sed -i`); of 6 runs: `src/ratebox/__init__.py` (6; with "
        '`__version__ = "{version}"`) and `CHANGES.md` (6; with `## {version} - {date}`). The commands change further '
        "files; of 6 runs: `pages/rates.md` (6; with `# Rates of ratebox {version}`) and `setup.cfg` (6; with "
        "`version = {version}`).",
        "3. Run `bin/setversion {version}`.",
        "4. Run `bin/pages`.",
        "5. Run `python3 -m unittest {name}`.",
        '6. Run `git commit -am "ratebox {version}" -m "Release: {version}"`.',
        '7. Run `git tag -a ratebox-{version} -m "ratebox {version}"`.',
        f"8. Run `{PUSHED}`.",
    ]
    assert fields.experience == [
        "Push one after the other: several refs in one push were refused in 6 of 6 runs that tried it."
    ]


def test_files_that_were_changed_before_the_run_began_or_perhaps_were_are_none_of_its_commands() -> None:
    for state in (sh("git status -s", " M setup.cfg\n M pages/rates.md"), sh("git log -1", "af119a2")):
        runs = [run(n, "Release it.", state, *written(f"1.{n}.0")[1:], sh("git commit -qam x")) for n in range(4)]
        assert "further files" not in learned(runs).fields.procedure


def test_what_helped_after_a_push_was_refused_is_told_with_its_order() -> None:
    fields = learned(RELEASES, [*RELEASES, *CHANGES]).fields
    first, second = "stable takes only what main has: push main first", "is not on stable: push stable first"
    assert [first in line or second in line for line in fields.failure_modes] == [True, True]
    assert all(f"pushed with `{PUSHED}` (4 of 4 runs that ended well)" in line for line in fields.fallbacks)
    assert not any("git commit" in line for line in fields.failure_modes)


def test_a_release_and_a_change_are_asked_for_in_different_words() -> None:
    release, change = learned(RELEASES, [*RELEASES, *CHANGES]), learned(CHANGES, [*RELEASES, *CHANGES])
    assert release.fields.trigger == ["a version number"]
    assert "zone" in change.fields.trigger and "a version number" not in change.fields.trigger
    assert "It pushes `main`, `stable` and `ratebox-{version}`" in release.fields.description
    assert change.fields.procedure.splitlines()[-2:] == [
        "4. Run `git commit -am {message}`.",
        "5. Run `git push origin main`.",
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Please put out 1.7.3.", True),
        ("Ship v2.1 today", True),
        ("we need version 3.0", True),
        ("发布 2.4.1", True),
        ("Zone 1 costs 5.20 from today", False),
        ("my number is 12.345.678-9", False),
        ("ping 10.0.0.1", False),
        ("on 30.11.2026 or 30.11.26", False),
        ("1.234.567 EUR", False),
    ],
)
def test_a_version_is_no_price_address_number_of_a_person_or_date(text: str, names: bool) -> None:
    assert terms.names_version(text) == names


def test_branches_and_messages_of_single_runs_are_not_told() -> None:
    runs = [
        run(
            n,
            f"Please fix {word}.",
            sh(f"sed -i s/a/b/ src/{word}.py; git commit -am 'Fix {word}\n\nCo-authored-by: Bot <b@a.example>'", ""),
            sh(f"git push -u origin fix/{word}", went(f"fix/{word} -> fix/{word}")),
        )
        for n, word in enumerate(["label", "address", "weight", "price"])
    ]
    lines = learned(runs).fields.procedure.splitlines()
    assert lines[-2:] == ["2. Run `git commit -am {message}`.", "3. Run `git push origin {branch}`."]
