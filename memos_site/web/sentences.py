"""Sentences that the rooms say in English, to programs too, or have stored: as the pages show them to a reader."""

import re
from functools import cache

from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_noop as _

from memos_site.web.words import in_words

WORDS = {"verb", "status", "becomes", "action", "kind", "reason", "level"}  # stored values, shown as words
PLACEHOLDER = re.compile(r"%\((\w+)\)s")

DECISIONS = [
    _("cannot %(verb)s: this memory has been forgotten meanwhile"),
    _("cannot %(verb)s a memory that is %(status)s"),
    _("cannot %(verb)s a memory that is %(status)s (%(action)s by %(who)s)"),
    _("cannot %(verb)s a memory that is %(status)s: it does not become %(becomes)s"),
    _("cannot %(verb)s a memory that is %(status)s (%(action)s by %(who)s): it does not become %(becomes)s"),
    _("cannot %(verb)s: another live memory holds the key %(key)s meanwhile"),
    _("cannot %(verb)s: another live memory holds its thread meanwhile"),
    _("cannot %(verb)s: another live memory holds %(place)s meanwhile"),
    _("cannot snooze a memory that is snoozed or woken anew"),
    _("cannot snooze a memory that is snoozed or woken anew (%(action)s by %(who)s)"),
    _("cannot undo: it was undone before; what undid it can be undone"),
    _("cannot undo: it was changed since and is %(status)s now"),
    _("cannot undo: it was changed since and is %(status)s now (%(action)s by %(who)s)"),
    _("cannot undo: the former text is not kept any more"),
    _("cannot undo: what it is about is believed again"),
    _("cannot undo: it was lifted or holds again meanwhile"),
    _("cannot lift: %(who)s has lifted it before"),
    _("%(who)s decided about this tool meanwhile"),
    _("cannot %(verb)s: what it would change is %(status)s"),
    _("cannot %(verb)s: the same change is proposed again meanwhile"),
    _("cannot %(verb)s a proposal that is %(status)s"),
    _("cannot %(verb)s a proposal that is %(status)s by %(who)s"),
    _("cannot snooze a proposal that is snoozed anew"),
    _("a proposed change is accepted, rejected or snoozed"),
    _("which one of them holds is decided one by one"),
    _("it carries a flag: accept it by itself, not among others"),
    _("both hold"),
    _("how it ended was said anew meanwhile"),
    _("the key %(key)s is that of a memory of the type %(kind)s"),
    _("it is stated as a fact by now: dismiss that"),
    _("it was dismissed before"),
    _("there are eight saved views already: delete one first"),
    _("there is a saved view of that name already: choose another name"),
    _("cannot revert: it has been reverted before (%(reason)s)"),
    _("this cannot be undone: not all of it is yours to see"),
    _("this cannot be undone"),
    _("this memory has been forgotten meanwhile"),
    _("what it was about has been forgotten meanwhile"),
    _("it has changed since you saw it; it is %(status)s now"),
    _("this claim was dismissed by %(who)s: it stays so until tombstone %(what)s is lifted"),
    _("this claim was forgotten by %(who)s: it stays so until tombstone %(what)s is lifted"),
    _("the memory has changed since you saw it; it is %(status)s now"),
    _("what is proposed does not apply any more: %(why)s"),
    _("it is %(status)s already"),
    _("an episode or working state is experience, not a claim: nothing about it is decided"),
    _("episodic memory is immutable and cannot be revised"),
    _("only a reviewer lowers a sensitivity"),
    _("only a reviewer sets a deletion policy"),
    _("deciding needs the permission review"),
    _("undoing needs the permission review"),
    _("it is still under way: wait for its end, or pause it"),
    _("it is being undone already"),
    _("it was undone before its end"),
    _("the cases of this scope are compared already"),
    _("nothing of this pack is believed or published any more"),
    _("teaching needs the permission review"),
    _("another live memory holds the key %(key)s meanwhile"),
    _("cannot forget: the deletion policy of this memory is never"),
    _("say why: one of %(reasons)s, or a sentence"),
    _("say what is to be changed"),
    _("say in which words"),
    _("they do not contradict each other any more"),
    _("one of them may not be merged without another person"),
    _("this version has critical findings: say why it is published"),
    _("the token of %(name)s has been revoked before"),
    _("cannot merge: these spellings were merged or separated meanwhile"),
    _("cannot merge: one of these is gone meanwhile"),
    _("cannot undo: these spellings were merged or separated meanwhile"),
    _("cannot undo: the other spelling is gone"),
    _("thin takes an outcome or a limit: all would stay"),
]
SKILLS = [
    _("it is what a published skill says: propose a version"),
    _("it is what a packaged skill says: propose a version"),
    _("nothing differs from the version it is based on"),
    _("version %(number)s is %(status)s"),
    _("version %(number)s is %(status)s now"),
    _("version %(number)s is %(status)s meanwhile"),
    _("cannot %(verb)s version %(number)s: it is %(status)s"),
    _("no version of %(name)s is proposed"),
    _("no version of %(name)s is proposed; it is %(status)s"),
    _("no version of %(name)s is published"),
    _("no version of this skill was ever published: dismiss the skill instead"),
    _("both skills need a version"),
    _("another version was proposed meanwhile"),
    _("a new version by hand needs the permission review"),
    _("only two skills of one scope and sensitivity are merged"),
    _("a skill that is %(status)s is not merged"),
    _("%(name)s has a newer version than the one that was merged: merge again"),
    _("renaming needs the permission review"),
    _("it is called %(name)s already"),
    _("it was changed meanwhile: look at it again"),
    _("%(name)s is, or was, the name of another skill in this scope"),
    _("this skill has been forgotten meanwhile"),
    _("its names were changed meanwhile; it is %(name)s now"),
    _("one of its names is, or was, another skill's meanwhile"),
    _("the skill that it was merged with has been forgotten meanwhile"),
    _("the skill that it was merged with was renamed meanwhile"),
    _("%(name)s was changed meanwhile: send it again"),
    _("%(name)s is %(status)s: restore it first, then upload"),
    _("%(name)s exists in several scopes (%(scopes)s): say which with `scope`"),
    _("it is no skill with a version that could be rejected"),
    _("it is no skill with a version that could be retired"),
    _("this skill is %(status)s: take it from the agents by itself, not among others"),
    _(
        "%(well)s of %(runs)s runs that were offered this skill ended well, and %(others)s of %(withheld)s from which "
        "it was withheld"
    ),
    _(
        "%(well)s of %(runs)s runs that were offered this lesson ended well, and %(others)s of %(withheld)s from which "
        "it was withheld"
    ),
    _("it fails too often: %(good)s of %(all)s uses ended well"),
    _("First version, from recorded runs"),
    _("seen in %(n)s successful runs"),
    _("a run that ended well followed it"),
]
RUNS = [
    _("a %(kind)s run is paused: resume it"),
    _("there is no %(kind)s run"),
    _("this run is %(status)s: %(verb)s takes one that is %(standing)s"),
    _("another run of this kind about the same episode or memory is not finished"),
    _("this run works over all scopes, and the token is limited to some"),
    _("this run was ordered by somebody who may see more than you"),
    _("the episode is open: it is read when it is closed"),
    _("no language model configured"),
    _("no case has both a run that ended well this way and one that failed"),
    _("no failure that was not compared yet stands beside a success that no skill has"),
    _("it is imported already"),
    *(_("another worker is at it"), _("another worker is processing it")),
    _("left out “%(what)s”: %(reason)s"),
    _("Nothing in the conversation teaches it: no tool answered, and nobody said how it is to be done."),
    _("%(n)s could not be read or written"),
    _("%(n)s could not be read or written; each says why and is tried again"),
    _("its worker died three times"),
    _("its worker died; it is tried again"),
    _("its worker died; the next run goes on"),
    _("its worker was frozen or cut off for so long that another one took over"),
    _("it is tried again"),
    _("the next run goes on"),
    _("a line was refused, for it may tell who it was: %(what)s"),
    _("(no scope)"),
    _("part %(n)s"),
    _("case %(n)s"),
    _("task %(n)s: %(name)s"),
]
LANGUAGE_MODEL = [
    _("above the level that may leave"),
    _("the language model did not answer within %(n)s seconds"),
    _("the language model was still answering after %(n)s seconds (LLM_TIMEOUT)"),
    _("the language model said nothing for %(n)s seconds"),
    *(_("the language model broke off: %(why)s"), _("the language model broke off: its answer ends in the middle")),
    *(_("the language model cannot be reached: %(why)s"), _("the language model cannot be read: %(why)s")),
    _("the language model cannot be asked: %(why)s"),
    _("the language model answered something that is no chat completion"),
    _("the language model answered %(code)s: %(why)s"),
    _("the language model refused to answer"),
    _("the answer was cut off at the model's limit of tokens"),
    _("the model repeated the same words again and again: its answer was not read further"),
    _("all %(n)s calls of the language model that may be made at once are under way"),
    _("the answer holds several JSON values of which each fits: give one"),
    _("the answer holds no complete JSON value"),
    *(_("no instructions"), _("no task in it"), _("it called no tool"), _("how it ended is known")),
    *(_("these instructions were read"), _("few finished runs yet"), _("nothing worth keeping in it")),
    *(_("its worker ended before an answer was recorded"), _("its worker died each time")),
    _("the daily limit of %(n)s tokens is reached; it goes on at %(when)s"),
]
TRAIL = [
    _("the scan that ran out of time was repeated to its end"),
    _("confidence %(n)s, confirmations: %(times)s"),
    _("confidence %(n)s, confirmed %(times)s times"),
    _("taught again"),
    _("it was applied where it comes from"),
    _("the latest runs say otherwise"),
    _("%(who)s observed another %(what)s"),
    _("%(who)s says otherwise"),
    _("it goes on: %(what)s"),
    _("a later conversation says %(what)s"),
    _("a conversation says another %(what)s"),
    _("the same effects: one skill stands for them"),
    _("%(names)s and this one are published for the same effects: keep one of them"),
    _("an episode that it was learnt from has been forgotten: read it again"),
    _("resembles one you dismissed"),
    _("Now following the preference: %(what)s"),
    _("Now going by the pattern: %(what)s"),
    _("Now following the workflow: %(what)s"),
]
PERMISSIONS = [
    _("you may not do this"),
    _("every scope reads this, and you are limited to some: it is decided by who is not"),
    _("the scope %(scope)s is not among yours"),
    _("the admin is for administrators only"),
    _("only reviewers see who may call"),
    _("only an administrator gives and takes tokens"),
    *(_("forgetting needs the permission review"), _("importing needs the permission review")),
    _("merging needs the permission review"),
    _("merging spellings needs the permission review in every scope"),
    _("judging how runs ended needs the permission review"),
    _("dismissing a line needs the permission review"),
    _("deciding about tools needs the permission review in every scope"),
    _("dismissed memories are listed for those who review: this needs the permission review"),
    *(_("making a pack needs the permission read"), _("places need the permission read")),
    _("only reviewers see what agents report"),
    _("only an administrator changes schedules"),
    _("only an administrator manages people"),
    _("only an administrator loads and removes the demo team"),
    _("this store holds data of its own: say that the demo team shall come beside it"),
    _("the demo team is being loaded or removed right now"),
    _("editing needs the permission review"),
    _("uploading needs the permission skills"),
    _("there is nothing here, or nothing that you may see"),
    _("%(name)s is %(status)s already"),
    _("somebody must remain who administers: make another person administrator first"),
]
PACKAGES = [
    _("the zip is empty"),
    _("this is not a readable zip file"),
    *(_("the file is larger than %(n)s MiB"), _("the package is larger than %(n)s MiB")),
    _("SKILL.md is larger than %(n)s KiB"),
    *(_("more than %(n)s MiB"), _("more than %(n)s MiB when expanded")),
    _("%(n)s entries, the limit is %(most)s"),
    _("%(n)s files, the limit is %(most)s"),
    _("no SKILL.md at the top or in the first folder"),
    _("%(n)s folders with a SKILL.md, one is a skill"),
    _("the frontmatter was written anew, as the specification demands"),
    _("it is called %(name)s here: the name in its frontmatter was changed"),
    _("the name %(from)s became %(name)s"),
    _("the folder %(folder)s is not called like the skill, %(name)s"),
    _("%(path)s: an archive inside the archive"),
    *(_("%(path)s: damaged"), _("%(path)s: encrypted"), _("%(path)s: a link"), _("%(path)s: not a plain file")),
    _("%(path)s: packed by a method that is not taken"),
    _("%(path)s: expands more than %(n)s times"),
    _("%(path)s: there %(n)s times"),
    *(_("%(path)s: left out"), _("%(path)s: not kept")),
    _("%(path)s: cut to %(n)s characters"),
    _("%(path)s: outside the skill's folder, left out"),
    _("%(path)s: not a text in UTF-8; other files belong into %(folder)s/"),
    _("%(path)s: files end in %(ends)s; others belong into %(folder)s/"),
    _("%(path)s: folders have names of A-Z a-z 0-9 . _ -, at most %(n)s deep"),
    _("%(path)s: there is another %(name)s"),
    _("%(path)s: is now %(name)s"),
    _('%(path)s: "." or ".." in the path'),
    _("%(path)s: an absolute path"),
    _("%(path)s: a backslash, an empty part or an unprintable character in the name"),
]
SENTENCES = [*PERMISSIONS, *DECISIONS, *SKILLS, *RUNS, *LANGUAGE_MODEL, *TRAIL, *PACKAGES]


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Each sentence with what recognises it; what says most comes first."""
    exact = sorted(SENTENCES, key=lambda text: -len(PLACEHOLDER.sub("", text)))
    return [(text, _pattern(text)) for text in exact]


def _pattern(text: str) -> re.Pattern[str]:
    parts = PLACEHOLDER.split(text)  # literal, name, literal, ...
    made = [re.escape(part) if n % 2 == 0 else f"(?P<{part}>.+?)" for n, part in enumerate(parts)]
    return re.compile("".join(made), re.DOTALL)


def sentence(text: str) -> str:
    """An English sentence of ours in the reader's language; any other text as it is."""
    if not text or (get_language() or "en").startswith("en"):
        return text
    parts = {part: _known(part) for part in text.split("; ")}  # of several conflicts, steps or lines
    return "；".join(map(str, parts.values())) if all(parts.values()) else _known(text) or text


def _known(text: str) -> str | None:
    return _of_step(text) or _translated(text)


def _of_step(text: str) -> str | None:
    """Why a step of a run failed, after the name of the step."""
    name, _colon, why = text.partition(": ")
    known = _translated(why) if why else None
    return f"{_translated(name) or in_words(name)}：{known}" if known else None


def _translated(text: str) -> str | None:
    for known, pattern in _patterns():
        if match := pattern.fullmatch(text):
            shown = {name: in_words(value) if name in WORDS else value for name, value in match.groupdict().items()}
            return gettext(known) % shown
    return None
