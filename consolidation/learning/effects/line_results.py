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
_REQUEST_PREFIX = r"(?:[A-Z]{3,7} )?(?:\S*/\S*:? )?(?:(?:->|=>|→) )?"
_STATUS_CODE = r"([1-5]\d\d)(?: [A-Z][A-Za-z]+)?"
_BEGINS = re.compile(rf"^ ?\(?(?:{_REQUEST_PREFIX}{_STATUS_CODE}:? )?(?=[\[{{])", re.MULTILINE)
# The same, or a status on a line of its own.
_BEGINS_OR_STATUS = re.compile(
    rf"{_BEGINS.pattern}|^ ?(?:[A-Za-z]+:? )?{_REQUEST_PREFIX}{_STATUS_CODE}[ \t]*$(?:\n(?=[\[{{]))?", re.MULTILINE
)
_TELLS_STATUS = re.compile(r"\.status(?:_code)?\b")  # of code that prints it, with or without a body
_OPENING_BRACKET = re.compile(r"[\[{]")  # behind another one, say
_BRACKET = re.compile(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|([\[{(])|([\]})])")
_HEADERS = re.compile(r"HTTP/[\d.]+ (?!1|30)(\d{3})\b[^\n]*\n(?:[\w-]+:[^\n]*\n)*\n?")
_BAD = 400
_OUTPUT_FIELDS = {"stdout", "output"}
Result = tuple[Any, bool]


def documents(call: Call, line: str) -> Mapping[str, Result]:
    """Return command kind -> (last document that it printed, whether it went well).

    The HTTP status decides, else the document; the last command of a line that failed has failed. Empty unless each of
    the line's commands of services printed a document or, sent by code, its status. Other commands may print text.
    """
    commands = [
        (kind, requests.output_of(words)) for kind, _, words in forms.commands_in(line) if requests.is_of_service(kind)
    ]
    begins = _BEGINS_OR_STATUS if _TELLS_STATUS.search(line) else _BEGINS
    results = list(_results(_printed(call), commands, begins)) if commands else []
    if len(results) != len(commands) + 1:
        return {}
    results.pop()
    if answer(call)[0]:
        results[-1] = (results[-1][0], False)
    return dict(zip((kind for kind, _ in commands), results, strict=True))


def _printed(call: Call) -> str:
    """Return the output of a line, unparsed also where it is one JSON document."""
    result = call.parsed_result
    is_report = isinstance(result, dict) and (errors.exit_code(result) is not None or _OUTPUT_FIELDS & result.keys())
    return (
        call.result
        if isinstance(call.result, str) and not is_report and len(call.result) <= MOST_TEXT
        else answer(call)[1]
    )


def _results(text: str, commands: Sequence[tuple[str, requests.Output]], begins: re.Pattern[str]) -> Iterator[Result]:
    """Yield the result of each command up to the first without one; one more, (None, True), where all have one and no
    document is left."""
    at = 0
    for kind, output in commands:
        document, status, at = _result(text, at, output, begins)
        if at < 0:
            return
        yield document, status < _BAD if status else not _is_refusal(kind, document)
    if _document(text, at, begins)[1] < 0:
        yield None, True


def _result(text: str, at: int, output: requests.Output, begins: re.Pattern[str]) -> tuple[Any, int, int]:
    """Return (document, HTTP status or 0, end) of the next result from offset `at`; end -1 for none."""
    document, status = None, 0
    if output.headers:
        status, at = _status(_HEADERS, text, at)
    if not output.hides and at >= 0:
        document, at, document_status = _document(text, at, begins)
        status = status or document_status
    if output.code and at >= 0:
        status, at = _status(re.compile(output.code), text, at)
    return document, status, at


def _status(pattern: re.Pattern[str], text: str, at: int) -> tuple[int, int]:
    match = pattern.search(text, at)
    return (int(match[1]), match.end()) if match else (0, -1)


def _document(text: str, at: int, begins: re.Pattern[str]) -> tuple[Any, int, int]:
    """Return the next object or list that begins here or with a line, its end (-1 for none), and the HTTP status before
    it, 0 for none; or None for a status alone."""
    if _OPENING_BRACKET.match(text, at):
        document, end = _decode(text, at)
        if end >= 0:
            return document, end, 0
    for match in begins.finditer(text, at):
        status_alone = match[2] if match.re.groups > 1 else None
        document, end = _decode(text, match.end()) if _OPENING_BRACKET.match(text, match.end()) else (None, -1)
        if end >= 0:
            return document, end, int(status_alone or match[1] or 0)
        if status_alone:
            return None, match.end(), int(status_alone)
    return None, -1, 0


def _decode(text: str, at: int) -> tuple[Any, int]:
    """Return (value, end) of the JSON or Python literal at an offset; end -1 for neither."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        end = _bracket_end(text, at)
    try:
        return ast.literal_eval(text[at:end]), end
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None, -1


def _bracket_end(text: str, at: int) -> int:
    """Return the offset behind the bracket that closes the one at `at`; `at` where none does."""
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
_GIT_ERROR = re.compile(r"^(?:fatal|error): (.+)$", re.MULTILINE)
_UP_TO_DATE = "Everything up-to-date"
_MOST_LINES = 12


class PushResult(NamedTuple):
    """A push that was executed, or some of its refs. `refusal`: the reason; '' for one that went well."""

    push: Push
    refusal: str

    @property
    def refused(self) -> bool:
        return bool(self.refusal)


class _Section(NamedTuple):
    """The output of one push: matches of _UPDATE, one for each ref, and the lines of the remote."""

    updates: Sequence[re.Match[str]]
    words: str

    @property
    def names(self) -> set[str]:
        return {_name(update) for update in self.updates}


def pushes(call: Call, line: str) -> list[PushResult] | None:
    """Return the pushes of a line that were executed, in order; None for a line without one."""
    if "push" not in line:
        return None
    commands = [push for kind, _, words in forms.commands_in(line) if kind == git.PUSH and (push := git.push_of(words))]
    if not commands:
        return None
    code, output = answer(call)
    return list(_push_results(commands, list(_sections(output)), output, bool(code) or bool(call.ok is False)))


def _push_results(
    commands: Sequence[Push], sections: list[_Section], output: str, is_failed: bool
) -> Iterator[PushResult]:
    has_sections = bool(sections)
    for push in commands:
        section = next((candidate for candidate in sections if not push.refs or candidate.names & {*push.names}), None)
        if section:
            sections.remove(section)
            yield from _results_of_section(push, section)
        elif not has_sections and (failure := _GIT_ERROR.search(output)):
            yield PushResult(push, failure[1])
            return
        elif push.quiet or not (has_sections or is_failed or _UP_TO_DATE in output):
            yield PushResult(push, "")


def _results_of_section(push: Push, section: _Section) -> Iterator[PushResult]:
    """Yield the refs that went well and those that were refused, each as a push of its own."""
    refused_refs = [update for update in section.updates if update["sign"] == "!"]
    accepted_refs = [update for update in section.updates if update["sign"] in " +*"]
    if accepted_refs:
        new_tags = tuple(_name(update) for update in accepted_refs if update["what"] == "new tag")
        yield PushResult(_with_refs(push, accepted_refs)._replace(new_tags=new_tags), "")
    if refused_refs:
        yield PushResult(
            _with_refs(push, refused_refs), section.words or refused_refs[0]["why"] or refused_refs[0]["what"]
        )


def _with_refs(push: Push, updates: Sequence[re.Match[str]]) -> Push:
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
    section_starts = starts[1:] or starts
    words_from = 0
    for n, start in enumerate(section_starts):
        end = section_starts[n + 1] if n + 1 < len(section_starts) else len(output)
        updates = list(_UPDATE.finditer(output, start, end))
        remote_words = [
            match[1] for match in _REMOTE.finditer(output, words_from, updates[0].start() if updates else end)
        ]
        words_from = updates[-1].end() if updates else start
        if updates:
            yield _Section(updates, "\n".join(filter(None, remote_words[:_MOST_LINES])))
