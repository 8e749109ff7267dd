"""Results of single commands of a line, where client programs of services and requests print JSON documents."""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from consolidation.learning.commands import forms, git, requests
from consolidation.learning.effects.command_starts import MOST_TEXT, answer
from consolidation.learning.effects.toolnames import name_reads
from consolidation.learning.runs import errors
from consolidation.learning.runs.call import Call, Push, name_at_remote

_DECODER = json.JSONDecoder()
# A document at the beginning of a line, or behind a request and its status as code prints them; of a pair, in brackets.
_ASKED = r"(?:[A-Z]{3,7} )?(?:\S*/\S*:? )?(?:(?:->|=>|→) )?"
_TOLD = r"([1-5]\d\d)(?: [A-Z][A-Za-z]+)?"
_BEGINS = re.compile(rf"^ ?\(?(?:{_ASKED}{_TOLD}:? )?(?=[\[{{])", re.MULTILINE)
# The same, or a status on a line of its own.
_BEGINS_OR_STATUS = re.compile(
    rf"{_BEGINS.pattern}|^ ?(?:[A-Za-z]+:? )?{_ASKED}{_TOLD}[ \t]*$(?:\n(?=[\[{{]))?", re.MULTILINE
)
_TELLS_STATUS = re.compile(r"\.status(?:_code)?\b")  # of code that prints it, with or without a body
_HERE = re.compile(r"[\[{]")  # behind another one, say
_BRACKET = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|([\[{(])|([\]})])")
_HEADERS = re.compile(r"HTTP/[\d.]+ (?!1|30)(\d{3})\b[^\n]*\n(?:[\w-]+:[^\n]*\n)*\n?")
_BAD = 400
_REPORTED = {"stdout", "output"}
Result = tuple[Any, bool]


def documents(call: Call, line: str) -> Mapping[str, Result]:
    """Return command kind -> the last document that it printed, and whether it went well: as its HTTP status says, else
    the document; not the last command of a line that failed.

    Empty unless each of the line's commands of services printed a document, or of code its status. Other commands may
    print text.
    """
    called = [
        (kind, requests.output_of(words)) for kind, _, words in forms.spelled(line) if requests.is_of_service(kind)
    ]
    begins = _BEGINS_OR_STATUS if _TELLS_STATUS.search(line) else _BEGINS
    results = list(_results(_printed(call), called, begins)) if called else []
    if len(results) != len(called) + 1:
        return {}
    results.pop()
    if answer(call)[0]:
        results[-1] = (results[-1][0], False)
    return dict(zip((kind for kind, _ in called), results, strict=True))


def _printed(call: Call) -> str:
    """Return what a line printed, also where that is one document and so is parsed like the report of a harness."""
    returned = call.returned
    is_report = isinstance(returned, dict) and (errors.exit_code(returned) is not None or _REPORTED & returned.keys())
    return (
        call.result
        if isinstance(call.result, str) and not is_report and len(call.result) <= MOST_TEXT
        else answer(call)[1]
    )


def _results(text: str, called: Sequence[tuple[str, requests.Output]], begins: re.Pattern[str]) -> Iterator[Result]:
    """Yield the result of each command, as far as all of them are shown; and one more where nothing else is."""
    at = 0
    for kind, output in called:
        document, status, at = _result(text, at, output, begins)
        if at < 0:
            return
        yield document, status < _BAD if status else not _is_refusal(kind, document)
    if _document(text, at, begins)[1] < 0:
        yield None, True


def _result(text: str, at: int, output: requests.Output, begins: re.Pattern[str]) -> tuple[Any, int, int]:
    """Return the document and HTTP status, 0 for none, that are shown behind a place, and their end; -1 for no such."""
    document, status = None, 0
    if output.headers:
        status, at = _status(_HEADERS, text, at)
    if not output.hides and at >= 0:
        document, at, told = _document(text, at, begins)
        status = status or told
    if output.code and at >= 0:
        status, at = _status(re.compile(output.code), text, at)
    return document, status, at


def _status(pattern: re.Pattern[str], text: str, at: int) -> tuple[int, int]:
    told = pattern.search(text, at)
    return (int(told[1]), told.end()) if told else (0, -1)


def _document(text: str, at: int, begins: re.Pattern[str]) -> tuple[Any, int, int]:
    """Return the next object or list that begins here or with a line, its end (-1 for none), and the HTTP status before
    it, 0 for none; or None for a status alone."""
    if _HERE.match(text, at):
        document, end = _decoded(text, at)
        if end >= 0:
            return document, end, 0
    for match in begins.finditer(text, at):
        alone = match[2] if match.re.groups > 1 else None
        document, end = _decoded(text, match.end()) if _HERE.match(text, match.end()) else (None, -1)
        if end >= 0:
            return document, end, int(alone or match[1] or 0)
        if alone:
            return None, match.end(), int(alone)
    return None, -1, 0


def _decoded(text: str, at: int) -> tuple[Any, int]:
    """Return what begins at a place, as JSON or as Python prints it, and its end; -1 for neither."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        end = _closed(text, at)
    try:
        return ast.literal_eval(text[at:end]), end
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None, -1


def _closed(text: str, at: int) -> int:
    """Return the place behind the bracket that closes the one at a place; that itself where none does."""
    depth = 0
    for mark in _BRACKET.finditer(text, at):
        depth += 1 if mark[1] else -1 if mark[2] else 0
        if not depth:
            return mark.end()
    return at


def _is_refusal(kind: str, document: Any) -> bool:
    """Return whether a document says that a command was refused; a record that was looked up may have an error, too."""
    if not isinstance(document, dict) or ("id" in document and name_reads(kind)):
        return False
    return errors.looks_failed(document) or document.keys() == {"detail"}


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
