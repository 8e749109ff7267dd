"""How runs committed, tagged and pushed, as one command each: equivalent ways count as one.

A branch that was moved in the clone and then pushed is pushed as `main:stable`; pushes that went well one after the
other are one line in their order; of messages the lines that nearly all have.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby

from consolidation.learning.commands import forms, git
from consolidation.learning.commands.shell import heredocs
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.effects.command_starts import answer
from consolidation.learning.effects.effects import is_edit
from consolidation.learning.runs.call import Call, Push, name_at_remote
from consolidation.learning.runs.privacy import Holders
from consolidation.learning.runs.run import Run
from consolidation.learning.writing.templates import marked, may_be_told

MOSTLY, CONSISTENT = 0.5, 0.75
MOST_LINES = 4
_BRANCH, _TAG, _MESSAGE = "{branch}", "{tag}", "{message}"
_OF_ALL = re.compile(r"[\w-]+-by:|🤖|.*\bGenerated with\b", re.IGNORECASE)  # trailers of git and of agents
_REMOTE = re.compile(r"[a-z][a-z_-]*")
_ANNOTATED = re.compile(r"-[a-zA-Z]*[amsFu]|--(?:annotate|message|sign|file|local-user)(?:=.*)?")
_ALL_FILES = re.compile(r"-[a-ln-zA-Z]*a[a-zA-Z]*|--all")


class GitWork:
    """How the example runs of a scope used git."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def shape(self, kind: str) -> str:
        """Return how a command is usually called; '' where the runs do not agree."""
        ways: dict[str, Callable[[], str]] = {git.PUSH: self._push, git.COMMIT: self._commit, git.TAG: self._tag}
        return ways[kind]()

    def pushed_together(self) -> tuple[list[Run], list[Run]]:
        """Return the runs of which all pushes of several refs at once were refused, and those that had any."""
        pushes_by_run = {
            run.id: [call for call in run.steps if call.push and call.push.refs[1:]] for run in self._scope.runs
        }
        runs = [run for run in self._scope.runs if pushes_by_run[run.id]]
        return [run for run in runs if all(call.failed for call in pushes_by_run[run.id])], runs

    def pushes(self, run: Run, after: int = -1) -> tuple[str, ...]:
        """Return the commands of the pushes that went well behind a position."""
        commands = [
            self._push_command(run, push) for call, push in _pushes(run) if not call.failed and call.position > after
        ]
        return tuple(command for command, _ in groupby(commands))

    def pushed_refs(self) -> list[str]:
        """Return the names at the remote that are usually pushed, without those that differ."""
        words = [word for word in self.shape(git.PUSH).replace(" && ", " ").split() if not word.startswith("-")]
        names = {name_at_remote(ref): None for ref in words if ref not in ("git", "push", self._remote)}
        return [name for name in names if name not in (_BRANCH, _TAG, "HEAD", "{remote}")]

    def _push(self) -> str:
        return _usual([" && ".join(order) for run in self._scope.examples if (order := self.pushes(run))])

    def _push_command(self, run: Run, push: Push) -> str:
        tags = {*push.new_tags, *_tags(run)}
        refs = [":".join(self._ref(run, name, tags) for name in ref.split(":")) for ref in push.refs]
        remote = push.remote or self._remote
        if not (remote and refs):
            return " ".join(filter(None, [git.PUSH, push.force_option]))
        remote_name = remote if _REMOTE.fullmatch(remote) else "{remote}"
        return " ".join(filter(None, [git.PUSH, push.force_option, remote_name, *refs]))

    def _ref(self, run: Run, name: str, tags: Iterable[str]) -> str:
        ref = marked(run, name)
        if name == "HEAD" or (self._refs.is_common(ref) and may_be_told(self._scope, ref)):
            return ref
        return _TAG if name in tags else _BRANCH

    @cached_property
    def _refs(self) -> Holders:
        return self._holders_of(
            lambda run: {
                *_tags(run),
                *(name for _, push in _pushes(run) for ref in push.refs for name in ref.split(":")),
            }
        )

    def _holders_of(self, texts_of: Callable[[Run], Iterable[str]]) -> Holders:
        return Holders(({marked(run, text) for text in texts_of(run)}, run.thread) for run in self._scope.examples)

    @cached_property
    def _remote(self) -> str:
        counts = Counter(push.remote for run in self._scope.examples for _, push in _pushes(run) if push.remote)
        return counts.most_common(1)[0][0] if counts else ""

    def _commit(self) -> str:
        commits = [commits_of_run for run in self._scope.examples if (commits_of_run := list(_commits(run)))]
        all_files = [
            any(_ALL_FILES.fullmatch(word) for words, _ in commits_of_run for word in words)
            for commits_of_run in commits
        ]
        first, *further_lines = self.message() or [""]
        message_parts = [f'"{first}"' if first else _MESSAGE, *(f'"{line}"' for line in further_lines)]
        options = "-am" if 2 * sum(all_files) > len(commits) else "-m"
        return f"{git.COMMIT} {options} {' -m '.join(message_parts)}"

    def message(self) -> list[str]:
        """Return the lines that the messages of nearly all runs have, with '' for the first one where it differs."""
        runs = [(run, texts) for run in self._scope.examples if (texts := [text for _, text in _commits(run) if text])]
        texts_by_run = [[[marked(run, line) for line in text] for text in texts] for run, texts in runs]
        by_run = [{line: None for text in texts for line in text} for texts in texts_by_run]
        holders = Holders((lines, run.thread) for (run, _), lines in zip(runs, by_run, strict=True))
        common_lines = [
            line for line, _ in holders.common_values(CONSISTENT * len(runs)) if may_be_told(self._scope, line)
        ]
        firsts = {text[0] for texts in texts_by_run for text in texts}
        subject = next((line for line in common_lines if line in firsts), "")
        return [subject, *(line for line in common_lines if line not in firsts)][:MOST_LINES]

    def _tag(self) -> str:
        return _usual([command for run in self._scope.examples if (command := self._tag_command(run))])

    def _tag_command(self, run: Run) -> str:
        for words in _commands_of(run, git.TAG):
            if name := git.tag_of(words):
                ref = self._ref(run, name, {name})
                if not any(_ANNOTATED.fullmatch(word) for word in words):
                    return f"{git.TAG} {ref}"
                message = next(iter(git.messages(words)), "")
                is_same = message and ref != _TAG and message.replace(name, ref) == ref
                return f"{git.TAG} -a {ref} -m {ref if is_same else self._tag_message(run, message)}"
        return ""

    def _tag_message(self, run: Run, text: str) -> str:
        message = marked(run, text)
        return (
            f'"{message}"' if self._tag_messages.is_common(message) and may_be_told(self._scope, message) else _MESSAGE
        )

    @cached_property
    def _tag_messages(self) -> Holders:
        return self._holders_of(
            lambda run: (text for words in _commands_of(run, git.TAG) for text in git.messages(words))
        )


def _usual(ways: Sequence[str]) -> str:
    """Return the most frequent of these; '' where there are few, or most differ."""
    way, n = Counter(ways).most_common(1)[0] if ways else ("", 0)
    return way if n >= forms.LEAST_CASES and n >= MOSTLY * len(ways) else ""


def _commands_of(run: Run, kind: str) -> Iterator[tuple[str, ...]]:
    lines = (call.line for call in run.steps if call.line and kind.split()[1] in call.line)
    yield from (words for line in lines for name, _, words in forms.commands_in(line) if name == kind)


def _tags(run: Run) -> list[str]:
    return [name for words in _commands_of(run, git.TAG) if (name := git.tag_of(words))]


def _pushes(run: Run) -> Iterator[tuple[Call, Push]]:
    """Yield the pushes in order; of a branch that was moved before, what it was moved to, too."""
    sources: dict[str, str] = {}
    for call in run.steps:
        if "git" in call.line:
            sources.update(
                pair for _, _, words in forms.commands_in(call.line) for pair in git.moved_branches(words).items()
            )
        if call.push:
            refs = (f"{sources[ref]}:{ref}" if sources.get(ref, ref) != ref else ref for ref in call.push.refs)
            yield call, call.push._replace(refs=tuple(refs))


def _commits(run: Run) -> Iterator[tuple[Sequence[str], list[str]]]:
    """Yield the words of each commit and the lines of its message, without those that git or an agent adds to all."""
    for line in (call.line for call in run.steps if git.COMMIT.split()[1] in call.line):
        for kind, _, words in forms.commands_in(line):
            if kind == git.COMMIT:
                texts = list(git.messages(words))
                heredoc_lines = heredocs(line[line.index("commit") :]) if "$" in texts or "-F" in words else []
                lines = [row.strip() for text in texts if text != "$" for row in text.split("\n")]
                lines += [row.strip() for row in heredoc_lines]
                yield words, [row for row in lines if row and not _OF_ALL.match(row)]


_OTHER = frozenset({"git show", "git log", "git whatchanged", "git stash show", "git diff-tree", "diff"})
_OWN = frozenset({"--cached", "--staged", "HEAD", "--"})
_SHORT = re.compile(r"-[a-z]*s[a-z]*|--short|--porcelain(?:=\S+)?")
_FILE = re.compile(r"^diff --git a/(\S+) b/(\S+)$", re.MULTILINE)
_STATUS = re.compile(r"^(?:[MA][ M]| M) (\S+)$", re.MULTILINE)
_CHANGED = re.compile(r"^(?:[ MADRU?]{2} |\s+(?:modified|new file|renamed): +)(\S+)$", re.MULTILINE)
_ADDED = re.compile(r"^\+(?!\+\+ )(.+)$", re.MULTILINE)


def git_changes(run: Run) -> Mapping[str, Sequence[str]]:
    """Return file -> the lines added to it, of what the run showed behind its first change of a file; empty where no
    `git status` told before what was changed already."""
    first_edit = min((call.position for call in run.steps if call.started and is_edit(call.name)), default=-1)
    lines = [call for call in run.steps if "git" in call.line]
    status_outputs = [
        answer(call)[1]
        for call in lines
        if call.position < first_edit and "git status" in dict(forms.kind_forms(call.line))
    ]
    by_file: dict[str, list[str]] = {}
    for path, lines_added in (
        pair for call in lines if status_outputs and call.position >= first_edit for pair in _changes_shown(call)
    ):
        by_file.setdefault(path, []).extend(lines_added)
    changed_before = {path for output in status_outputs for path in _CHANGED.findall(output)}
    return {path: lines_added for path, lines_added in by_file.items() if path not in changed_before}


def _changes_shown(call: Call) -> Iterator[tuple[str, Sequence[str]]]:
    commands = [(kind, words) for kind, _, words in forms.commands_in(call.line)]
    diffs = [words for kind, words in commands if kind == "git diff"]
    _, output = answer(call)
    if any(kind == "git status" and any(map(_SHORT.fullmatch, words[2:])) for kind, words in commands):
        yield from ((path, ()) for path in _STATUS.findall(output))
    if not diffs or any(kind in _OTHER for kind, _ in commands) or not all(map(_is_own, diffs)):
        return
    starts = list(_FILE.finditer(output))
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        yield start[2], _ADDED.findall(output, start.end(), end.start() if end else len(output))


def _is_own(words: Sequence[str]) -> bool:
    """Return whether a `git diff` shows what is not committed: it names no other state, or only files behind `--`."""
    states = words[2 : words.index("--")] if "--" in words else words[2:]
    return all(word in _OWN or word.startswith("-") for word in states)
