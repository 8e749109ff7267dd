"""How the commands of a recipe are usually called, with `{names}` for what differs from run to run."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from consolidation.learning.commands import forms, git
from consolidation.learning.commands.requests import is_request, usual_request
from consolidation.learning.commands.resources import is_of_resource, usual_call
from consolidation.learning.comparison.scope import Scope
from consolidation.learning.effects.effects import CHORES, is_edit
from consolidation.learning.writing.git_work import GitWork
from consolidation.learning.writing.templates import marked

_ELSEWHERE = ("/", "~", "..", "-")  # a program's path on one machine, or an interpreter's, which a form leaves out


def usual_shape(scope: Scope, kind: str) -> str:
    """Return how a command of this kind is usually called, without arguments unless half of the calls agree: a wrapper
    in the project (`./gradlew`) starts by its path alone. '' for changes of files and chores."""
    if is_edit(kind) or kind in CHORES:
        return ""
    if is_of_resource(kind):
        return _resource_call(scope, kind)
    if is_request(kind):
        return _request(scope, kind)
    return GitWork(scope).shape(kind) if kind in (git.PUSH, git.COMMIT, git.TAG) else _usual_call(scope, kind)


def _usual_call(scope: Scope, kind: str) -> str:
    """Return it by the last use in each run that did not fail: earlier uses may have been corrected."""
    calls: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for run in scope.examples:
        last_lines: dict[str, str] = {}
        for call in sorted(run.steps, key=lambda call: not call.failed):
            if call.line and call.started:
                last_lines |= {form: call.line for name, form in forms.kind_forms(call.line) if name == kind and form}
        for form, line in last_lines.items():
            calls[form].append((run.thread, marked(run, line)))
    usual_form = max(calls, key=lambda form: (len(calls[form]), form), default="")
    if not usual_form or usual_form.startswith(_ELSEWHERE):
        return ""
    shape = forms.usual_shape(usual_form, calls[usual_form], lambda part: _names_nobody(scope, part))
    is_shared = len({thread for thread, _ in calls[usual_form]}) >= forms.LEAST_CASES
    return shape or (usual_form if is_shared and _names_nobody(scope, usual_form) else "")


def _names_nobody(scope: Scope, part: str) -> bool:
    return scope.names_nobody(part.replace("@", " ").replace("/", " "))


def _resource_call(scope: Scope, kind: str) -> str:
    """Return how a command is usually called, by its last use in each run that did not fail."""
    uses: list[tuple[str, Sequence[str]]] = []
    for run in scope.examples:
        lines = [call.line for call in sorted(run.steps, key=lambda call: not call.failed) if call.line]
        run_uses = [(form, words) for line in lines for name, form, words in forms.commands_in(line) if name == kind]
        uses += run_uses[-1:]
    form = Counter(form for form, _ in uses).most_common(1)[0][0] if uses else ""
    return usual_call(kind, form, [words for _, words in uses], lambda part: _names_nobody(scope, part)) if form else ""


def _request(scope: Scope, kind: str) -> str:
    """Return how a request is usually sent, by its last use in each run that did not fail."""
    calls_by_run = [[call for call in run.steps if call.name == kind and not call.failed] for run in scope.examples]
    return usual_request(
        kind, [calls[-1].arguments for calls in calls_by_run if calls], lambda part: _names_nobody(scope, part)
    )
