"""Commands of git by what they do: which only read, which move branches of this clone alone, and which refs one pushes.

git push --atomic origin main stable  -> Push(("main", "stable"))
git push origin HEAD:refs/heads/main  -> Push(("HEAD:main",))
git branch -f stable main, git fetch . main:stable  -> {"stable": "main"} moved
"""

import re
from collections.abc import Iterator, Sequence

from consolidation.learning.commands.wrappers import without_options
from consolidation.learning.runs.call import Push, name_at_remote

PUSH, COMMIT, TAG, BRANCH = "git push", "git commit", "git tag", "git branch"
_READING_OPTIONS = re.compile(
    r"-l|-v|--(?:list|contains|no-contains|merged|no-merged|points-at|sort|format|column|show-current|verify)(?:=.*)?"
)
_LISTED = frozenset({"branch", "tag"})
_ASKING_CONFIG = re.compile(r"--get\S*|--list|-l|get|list")
_CHANGING_CONFIG = re.compile(r"--(?:unset|add|replace|rename|remove|edit)\S*|-e|set|unset|edit")
_OF_CONFIG = frozenset({"-f", "--file", "--blob", "--type", "--default"})
_ASKING_REMOTE = frozenset({"show", "get-url"})
_OF_FETCH = frozenset({"--depth", "--deepen", "--upload-pack", "-j", "--jobs", "-o", "--server-option", "--filter"})
_OF_PUSH = frozenset({"-o", "--push-option", "--receive-pack", "--exec"})
_OF_TAG = frozenset({"-F", "--file", "-u", "--local-user", "--cleanup"})
_FORCING = {"-f": "--force", "--force": "--force", "--force-with-lease": "--force-with-lease"}
_DELETING = frozenset({"-d", "--delete", "--prune", "--mirror"})
_REF = re.compile(r"refs/(?:heads|tags)/")
_TRACKING = "refs/remotes/"


def kind_of(arguments: Sequence[str]) -> str:
    """Return the kind of a command of git that its subcommand alone does not tell; '' for any other.

    What only shows has `--list`; what moves a branch of this clone is `git branch`.
    """
    subcommand, *words = without_options(arguments, "git") or [""]
    if subcommand in _LISTED and any(map(_READING_OPTIONS.fullmatch, words)):
        return f"git {subcommand} --list"
    if (subcommand == "config" and _asks_config(words)) or (subcommand == "remote" and _ASKING_REMOTE & {*words[:1]}):
        return f"git {subcommand} --list"
    if (subcommand == "fetch" and _fetched(words)) or (subcommand == "push" and _plain(words, _OF_PUSH)[:1] == ["."]):
        return BRANCH
    return ""


def _asks_config(words: Sequence[str]) -> bool:
    given = _plain(words, _OF_CONFIG)
    asks = bool(_ASKING_CONFIG.fullmatch(given[0] if given else "")) or any(map(_ASKING_CONFIG.fullmatch, words))
    return asks or (len(given) == 1 and not any(map(_CHANGING_CONFIG.fullmatch, words)))


def _plain(words: Sequence[str], valued: frozenset[str]) -> list[str]:
    """Return the words that are neither options nor values of these options."""
    after = [False, *(word in valued or _is_message(word) for word in words)]
    return [word for word, is_value in zip(words, after, strict=False) if not (is_value or word.startswith("-"))]


def _is_message(word: str) -> bool:
    return bool(re.fullmatch(r"-[a-zA-Z]*m|--message", word))


def _fetched(words: Sequence[str]) -> dict[str, str]:
    """Return the branches of this clone that a fetch moves -> what to; not those that follow a remote."""
    pairs = [spec.lstrip("+").partition(":") for spec in _plain(words, _OF_FETCH)[1:]]
    here = [(_short(to), _short(source)) for source, _, to in pairs if to and not to.startswith(_TRACKING)]
    return dict(here)


def _short(ref: str) -> str:
    return _REF.sub("", ref.lstrip("+"), count=1)


def push_of(words: Sequence[str]) -> Push | None:
    """Return what a command pushes; None for another, and for one that deletes or pushes nowhere else."""
    subcommand, *rest = without_options(words[1:], "git") or [""]
    if subcommand != "push" or _DELETING & {*rest} or "--dry-run" in rest or "-n" in rest:
        return None
    remote, *specs = _plain(rest, _OF_PUSH) or [""]
    refs = tuple(ref for spec in specs if spec != "tag" and (ref := _pushed(spec)))
    if remote == "." or len(refs) < len([spec for spec in specs if spec != "tag"]):
        return None
    options = [word.partition("=")[0] for word in rest]
    forced = next(
        (_FORCING[word] for word in options if word in _FORCING),
        "--force" if any(spec[:1] == "+" for spec in specs) else "",
    )
    return Push(remote, refs, forced, bool({"-q", "--quiet"} & {*rest}))


def _pushed(spec: str) -> str:
    """Return a ref as it is told; '' for one that is deleted."""
    source, _, to = map(_short, spec.partition(":"))
    return source if to in ("", source) and ":" not in spec[-1:] else f"{source}:{to}" if source and to else ""


def moved(words: Sequence[str]) -> dict[str, str]:
    """Return the branches that a command moves in this clone alone -> the branch that they are moved to."""
    subcommand, *rest = without_options(words[1:], "git") or [""]
    if subcommand == "fetch":
        return _fetched(rest)
    plain = _plain(rest, _OF_PUSH)
    if subcommand == "push" and plain[:1] == ["."]:
        return {name_at_remote(ref): ref.partition(":")[0] for ref in map(_pushed, plain[1:]) if ":" in ref}
    if subcommand == "update-ref" and len(plain) > 1:
        return {_short(plain[0]): _short(plain[1])}
    options = {*rest} & ({"-f", "--force"} if subcommand == "branch" else {"-B", "-C"})
    is_moved = options and subcommand in {"branch", "checkout", "switch"} and len(plain) == 2
    return {plain[0]: plain[1]} if is_moved else {}


def tag_of(words: Sequence[str]) -> str:
    """Return the name of the tag that a command makes; '' for none."""
    subcommand, *rest = without_options(words[1:], "git") or [""]
    plain = _plain(rest, _OF_TAG) if subcommand == "tag" and not _DELETING & {*rest} else []
    return plain[0] if plain else ""


def messages(words: Sequence[str]) -> Iterator[str]:
    """Yield the texts of the messages that a command is given as arguments: `-m "Fix it"`, `-qam "Fix it"`."""
    for word, text in zip(words, [*words[1:], ""], strict=True):
        if _is_message(word):
            yield text
        elif joined := re.fullmatch(r"--message=(.*)", word, re.DOTALL):
            yield joined[1]
