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
    _("cannot undo: it was undone before; to redo it, undo that undo"),
    _("cannot undo: it was changed since and is %(status)s now"),
    _("cannot undo: it was changed since and is %(status)s now (%(action)s by %(who)s)"),
    *(_("cannot undo: the earlier text is no longer stored"), _("cannot undo: a live memory claims the same again")),
    _("cannot undo: the dismissal was lifted or renewed in the meantime"),
    *(_("cannot lift: %(who)s has lifted it before"), _("%(who)s has already decided about this tool")),
    _("cannot %(verb)s: what it would change is %(status)s"),
    _("cannot %(verb)s: the same change is proposed again meanwhile"),
    _("cannot %(verb)s a proposal that is %(status)s"),
    _("cannot %(verb)s a proposal that is %(status)s by %(who)s"),
    *(_("cannot snooze a proposal that is snoozed anew"), _("a proposed change is accepted, rejected or snoozed")),
    _("decide conflicts one by one"),
    _("it is flagged: accept it separately"),
    _("both hold"),
    _("the outcome was changed in the meantime"),
    _("the key %(key)s belongs to a memory of the type %(kind)s"),
    _("a memory now states it as a fact: dismiss that memory"),
    _("it was dismissed before"),
    _("there are eight saved views already: delete one first"),
    _("a saved view of that name exists already: choose another name"),
    _("cannot revert: it has been reverted before (%(reason)s)"),
    _("this cannot be undone: you may not see all of it"),
    _("this cannot be undone"),
    _("this memory has been forgotten meanwhile"),
    _("what it was about has been forgotten meanwhile"),
    _("it has changed since you saw it; it is %(status)s now"),
    _("this claim was dismissed by %(who)s and stays dismissed until tombstone %(what)s is lifted"),
    _("this claim was forgotten by %(who)s and stays forgotten until tombstone %(what)s is lifted"),
    _("the memory has changed since you saw it; it is %(status)s now"),
    _("the proposed change no longer applies: %(why)s"),
    _("it is %(status)s already"),
    _("an episode or working state is experience, not a claim: it cannot be decided"),
    _("episodic memory is immutable and cannot be revised"),
    _("only a reviewer lowers a sensitivity"),
    _("only a reviewer sets a deletion policy"),
    _("deciding needs the permission review"),
    _("undoing needs the permission review"),
    _("it is still under way: wait for its end, or pause it"),
    _("it is being undone already"),
    _("it was undone before it finished"),
    _("the cases of this scope have already been compared"),
    _("nothing of this pack is believed or published any more"),
    _("teaching needs the permission review"),
    _("another live memory has taken the key %(key)s"),
    _("cannot forget: the deletion policy of this memory is never"),
    _("say why: one of %(reasons)s, or a sentence"),
    _("say what is to be changed"),
    _("say in which words"),
    _("they no longer contradict each other"),
    _("one of them may not be merged without another person"),
    _("this version has critical findings: give a reason for publishing it"),
    _("the token of %(name)s is already revoked"),
    _("cannot merge: these spellings were merged or separated meanwhile"),
    _("cannot merge: one of these is gone meanwhile"),
    _("cannot undo: these spellings were merged or separated meanwhile"),
    _("cannot undo: the other spelling is gone"),
    _("thin needs an outcome or a limit: otherwise nothing would be removed"),
]
SKILLS = [
    _("a published skill contains it: propose a version"),
    _("a packaged skill contains it: propose a version"),
    _("the version does not differ from the one it is based on"),
    _("version %(number)s is %(status)s"),
    _("version %(number)s is %(status)s now"),
    _("version %(number)s is %(status)s meanwhile"),
    _("cannot %(verb)s version %(number)s: it is %(status)s"),
    _("no version of %(name)s is proposed"),
    _("no version of %(name)s is proposed; it is %(status)s"),
    _("no version of %(name)s is published"),
    _("no version of this skill was ever published: dismiss the skill instead"),
    _("both skills need a version"),
    _("another version was proposed in the meantime"),
    _("a new version by hand needs the permission review"),
    _("only two skills of one scope and sensitivity are merged"),
    _("a skill that is %(status)s is not merged"),
    _("%(name)s has a newer version than the one that was merged: merge again"),
    _("renaming needs the permission review"),
    _("it is called %(name)s already"),
    _("it was changed in the meantime: look at it again"),
    _("%(name)s is, or was, the name of another skill in this scope"),
    _("this skill has been forgotten meanwhile"),
    _("its names were changed in the meantime; it is %(name)s now"),
    _("one of its names belongs, or belonged, to another skill by now"),
    _("the skill that it was merged with has been forgotten meanwhile"),
    _("the skill that it was merged with was renamed meanwhile"),
    _("%(name)s was changed in the meantime: send it again"),
    _("%(name)s is %(status)s: restore it first, then upload"),
    _("%(name)s exists in several scopes (%(scopes)s): say which with `scope`"),
    _("it is not a skill with a version that can be rejected"),
    _("it is not a skill with a version that can be retired"),
    _("this skill is %(status)s: retire it separately"),
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
    _("this run works on all scopes, but the token is limited to some"),
    _("this run was ordered by somebody who may see more than you"),
    _("the episode is open: it is read when it is closed"),
    _("no language model configured"),
    _("no case has both a run that ended well this way and one that failed"),
    _("no failure that was not compared yet stands beside a success that no skill has"),
    _("it is imported already"),
    *(_("another worker is working on it"), _("another worker is processing it")),
    _("left out “%(what)s”: %(reason)s"),
    _("The conversation does not show how to do it: no tool returned it, and nobody explained it."),
    _("%(n)s could not be read or written"),
    _("%(n)s could not be read or written; each says why and is tried again"),
    _("its worker died three times"),
    _("its worker died; it is tried again"),
    _("its worker died; the next run goes on"),
    _("its worker was frozen or disconnected for so long that another one took over"),
    _("it is tried again"),
    _("the next run goes on"),
    _("a line was refused because it may identify a person: %(what)s"),
    _("(no scope)"),
    _("part %(n)s"),
    _("case %(n)s"),
    _("task %(n)s: %(name)s"),
]
LANGUAGE_MODEL = [
    _("above the sensitivity that may leave the installation"),
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
    _("all %(n)s allowed simultaneous calls of the language model are in use"),
    _("the answer holds several matching JSON values: give one"),
    _("the answer holds no complete JSON value"),
    *(_("no instructions"), _("no task in it"), _("it called no tool"), _("its outcome is known")),
    *(_("these instructions were read"), _("few finished runs yet"), _("nothing worth keeping in it")),
    *(_("its worker ended before an answer was recorded"), _("its worker died each time")),
    _("the daily limit of %(n)s tokens is reached; it goes on at %(when)s"),
]
TRAIL = [
    _("the scan that ran out of time was repeated to its end"),
    _("confidence %(n)s, confirmations: %(times)s"),
    _("confidence %(n)s, confirmed %(times)s times"),
    _("taught again"),
    _("it was applied in the scope that it comes from"),
    _("the latest runs say otherwise"),
    _("%(who)s observed another %(what)s"),
    _("%(who)s says otherwise"),
    _("it continues: %(what)s"),
    _("a later conversation says %(what)s"),
    _("a conversation says another %(what)s"),
    _("the same effects: one skill stands for them"),
    _("%(names)s and this one are published for the same effects: keep one of them"),
    _("an episode that it was learned from has been forgotten: load the page again"),
    _("resembles one you dismissed"),
    _("Now following the preference: %(what)s"),
    _("Now going by the pattern: %(what)s"),
    _("Now following the workflow: %(what)s"),
]
PERMISSIONS = [
    _("you may not do this"),
    _(
        "every scope sees this memory, but your access is limited to some scopes: somebody with access to all "
        "scopes must decide"
    ),
    _("the scope %(scope)s is not among yours"),
    _("the admin is for administrators only"),
    _("only reviewers may see the agents"),
    _("only an administrator gives and takes tokens"),
    *(_("forgetting needs the permission review"), _("importing needs the permission review")),
    _("merging needs the permission review"),
    _("merging spellings needs the permission review in every scope"),
    _("judging how runs ended needs the permission review"),
    _("dismissing a line needs the permission review"),
    _("deciding about tools needs the permission review in every scope"),
    _("dismissed memories are listed for those who review: this needs the permission review"),
    *(_("making a pack needs the permission read"), _("places need the permission read")),
    _("only reviewers may see agents' reports"),
    _("only an administrator changes schedules"),
    _("only an administrator manages people"),
    _("only an administrator loads and removes the demo team"),
    _("this store holds other data: confirm that the demo team shall be added to it"),
    _("the demo team is being loaded or removed right now"),
    _("editing needs the permission review"),
    _("uploading needs the permission skills"),
    _("there is nothing here, or nothing that you may see"),
    _("%(name)s is %(status)s already"),
    _("at least one administrator must remain: make another person administrator first"),
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
    _("the frontmatter was rewritten to follow the specification"),
    _("it is called %(name)s here: the name in its frontmatter was changed"),
    _("the name %(from)s became %(name)s"),
    _("the folder %(folder)s does not have the name of the skill, %(name)s"),
    _("%(path)s: an archive inside the archive"),
    *(_("%(path)s: damaged"), _("%(path)s: encrypted"), _("%(path)s: a link"), _("%(path)s: not a plain file")),
    _("%(path)s: the compression method is not supported"),
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
    """(English sentence, pattern that matches it with its placeholders filled), the longest first."""
    exact = sorted(SENTENCES, key=lambda text: -len(PLACEHOLDER.sub("", text)))
    return [(text, _pattern(text)) for text in exact]


def _pattern(text: str) -> re.Pattern[str]:
    parts = PLACEHOLDER.split(text)  # literal, name, literal, ...
    patterns = [re.escape(part) if n % 2 == 0 else f"(?P<{part}>.+?)" for n, part in enumerate(parts)]
    return re.compile("".join(patterns), re.DOTALL)


def sentence(text: str) -> str:
    """An English sentence of ours in the reader's language; any other text as it is."""
    if not text or (get_language() or "en").startswith("en"):
        return text
    parts = {part: _translate_ours(part) for part in text.split("; ")}  # of several conflicts, steps or lines
    return "；".join(map(str, parts.values())) if all(parts.values()) else _translate_ours(text) or text


def _translate_ours(text: str) -> str | None:
    return _of_step(text) or _translate(text)


def _of_step(text: str) -> str | None:
    """The translation of `<step>: <reason>`, as runs store why a step failed; None for a reason that is not ours."""
    name, _colon, why = text.partition(": ")
    translation = _translate(why) if why else None
    return f"{_translate(name) or in_words(name)}：{translation}" if translation else None


def _translate(text: str) -> str | None:
    for original, pattern in _patterns():
        if match := pattern.fullmatch(text):
            values = {name: in_words(value) if name in WORDS else value for name, value in match.groupdict().items()}
            return gettext(original) % values
    return None
