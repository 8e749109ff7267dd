"""What a run changed as git showed it: the files of its own `git diff` and `git status --short`, with the lines added.

So what a command changed is known too (`bin/bump`), and what code did that names no folder. Not what was looked at of
earlier changes (`git show`, `git log -p`, `git diff main`), nor what a run did not show to be unchanged before.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from consolidation.learning.commands import forms
from consolidation.learning.effects.command_starts import answer
from consolidation.learning.effects.effects import is_edit
from consolidation.learning.runs.run import Call, Run

_OTHER = frozenset({"git show", "git log", "git whatchanged", "git stash show", "git diff-tree", "diff"})
_OWN = frozenset({"--cached", "--staged", "HEAD", "--"})
_SHORT = re.compile(r"-[a-z]*s[a-z]*|--short|--porcelain(?:=\S+)?")
_FILE = re.compile(r"^diff --git a/(\S+) b/(\S+)$", re.MULTILINE)
_STATUS = re.compile(r"^(?:[MA][ M]| M) (\S+)$", re.MULTILINE)
_CHANGED = re.compile(r"^(?:[ MADRU?]{2} |\s+(?:modified|new file|renamed): +)(\S+)$", re.MULTILINE)
_ADDED = re.compile(r"^\+(?!\+\+ )(.+)$", re.MULTILINE)


def changes(run: Run) -> Mapping[str, Sequence[str]]:
    """Return file -> the lines added to it, of what the run showed behind its first change of a file; empty where no
    `git status` told before what was changed already."""
    begun = min((call.position for call in run.steps if call.started and is_edit(call.name)), default=-1)
    lines = [call for call in run.steps if "git" in call.line]
    before = [answer(call)[1] for call in lines if call.position < begun and _tells_state(call)]
    by_file: dict[str, list[str]] = {}
    for path, added in (pair for call in lines if before and call.position >= begun for pair in _shown(call)):
        by_file.setdefault(path, []).extend(added)
    known = {path for output in before for path in _CHANGED.findall(output)}
    return {path: added for path, added in by_file.items() if path not in known}


def _tells_state(call: Call) -> bool:
    return any(kind == "git status" for kind, _ in forms.called(call.line))


def _shown(call: Call) -> Iterator[tuple[str, Sequence[str]]]:
    called = [(kind, words) for kind, _, words in forms.spelled(call.line)]
    diffs = [words for kind, words in called if kind == "git diff"]
    _, output = answer(call)
    if any(kind == "git status" and any(map(_SHORT.fullmatch, words[2:])) for kind, words in called):
        yield from ((path, ()) for path in _STATUS.findall(output))
    if not diffs or any(kind in _OTHER for kind, _ in called) or not all(map(_is_own, diffs)):
        return
    starts = list(_FILE.finditer(output))
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        yield start[2], _ADDED.findall(output, start.end(), end.start() if end else len(output))


def _is_own(words: Sequence[str]) -> bool:
    """Return whether a `git diff` shows what is not committed: it names no other state, or only files behind `--`."""
    named = words[2 : words.index("--")] if "--" in words else words[2:]
    return all(word in _OWN or word.startswith("-") for word in named)
