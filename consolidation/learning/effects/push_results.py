"""What each `git push` of a line did, as its output says, whatever the exit code of the line.

    ! [remote rejected] main -> main (pre-receive hook declined)    refused, with the lines `remote: ...` before it
       f5cb82e..af119a2  main -> stable                             went well

A push of which a line with an output shows nothing was not reached: `git push origin main && git push origin stable`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from consolidation.learning.commands import forms, git
from consolidation.learning.effects.command_starts import answer
from consolidation.learning.runs.pushes import Push, name_at_remote
from consolidation.learning.runs.run import Call

_UPDATE = re.compile(
    r"^ ?(?P<sign>[ +*=!-]) (?:\[(?P<what>[^\]]+)\]|[0-9a-f]{4,}\.{2,3}[0-9a-f]{4,})"
    r" +(?P<source>\S+)(?: +-> (?P<to>\S+))?(?: \((?P<why>[^)]*)\))?\s*$",
    re.MULTILINE,
)
_TO = re.compile(r"^To \S.*$", re.MULTILINE)
_REMOTE = re.compile(r"^remote: ?(.*?)\s*$", re.MULTILINE)
_FAILED = re.compile(r"^(?:fatal|error): (.+)$", re.MULTILINE)
_NOTHING = "Everything up-to-date"
_MOST_LINES = 12


class Pushed(NamedTuple):
    """A push that was reached, or a part of one. `said`: why it was refused; '' for one that went well."""

    push: Push
    said: str

    @property
    def refused(self) -> bool:
        return bool(self.said)


class _Section(NamedTuple):
    """What the output says of one push: (sign, what, source, name, why) of each ref, and the words of the remote."""

    updates: Sequence[re.Match[str]]
    words: str

    @property
    def names(self) -> set[str]:
        return {_name(update) for update in self.updates}


def pushes(call: Call, line: str) -> list[Pushed] | None:
    """Return the pushes of a line that were reached, in order; None for a line without one."""
    if "push" not in line:
        return None
    commands = [push for kind, _, words in forms.spelled(line) if kind == git.PUSH and (push := git.push_of(words))]
    if not commands:
        return None
    code, output = answer(call)
    return list(_reached(commands, list(_sections(output)), output, bool(code) or bool(call.ok is False)))


def _reached(commands: Sequence[Push], sections: list[_Section], output: str, is_failed: bool) -> Iterator[Pushed]:
    are_told = bool(sections)
    for push in commands:
        section = next((each for each in sections if not push.refs or each.names & {*push.names}), None)
        if section:
            sections.remove(section)
            yield from _of_section(push, section)
        elif not are_told and (failed := _FAILED.search(output)):
            yield Pushed(push, failed[1])
            return
        elif push.quiet or not (are_told or is_failed or _NOTHING in output):
            yield Pushed(push, "")


def _of_section(push: Push, section: _Section) -> Iterator[Pushed]:
    """Yield the refs that went well and those that were refused, each as a push of its own."""
    refused = [update for update in section.updates if update["sign"] == "!"]
    well = [update for update in section.updates if update["sign"] in " +*"]
    if well:
        new_tags = tuple(_name(update) for update in well if update["what"] == "new tag")
        yield Pushed(_with(push, well)._replace(new_tags=new_tags), "")
    if refused:
        yield Pushed(_with(push, refused), section.words or refused[0]["why"] or refused[0]["what"])


def _with(push: Push, updates: Sequence[re.Match[str]]) -> Push:
    """Return a push with the refs of these updates, as the command names them, else as the output does."""
    names = set(map(_name, updates))
    return push._replace(
        refs=tuple(ref for ref in push.refs if name_at_remote(ref) in names) or tuple(map(_ref, updates))
    )


def _ref(update: re.Match[str]) -> str:
    source, name = update["source"], _name(update)
    return name if source in (name, "HEAD") else f"{source}:{name}"


def _name(update: re.Match[str]) -> str:
    return update["to"] or update["source"]


def _sections(output: str) -> Iterator[_Section]:
    """Yield what stands behind each `To REMOTE`, with the words of the remote before it."""
    starts = [0, *(to.end() for to in _TO.finditer(output))]
    begun = starts[1:] or starts
    words_from = 0
    for n, start in enumerate(begun):
        end = begun[n + 1] if n + 1 < len(begun) else len(output)
        updates = list(_UPDATE.finditer(output, start, end))
        told = [told[1] for told in _REMOTE.finditer(output, words_from, updates[0].start() if updates else end)]
        words_from = updates[-1].end() if updates else start
        if updates:
            yield _Section(updates, "\n".join(filter(None, told[:_MOST_LINES])))
