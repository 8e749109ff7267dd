"""Explains a term where it stands: a button beside it shows its row of docs/glossary.md, in the reader's language."""

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from memos_site.web.fragments import fragment

register = template.Library()

MEANINGS = {  # word for word as the glossary has them
    _("candidate"): _(
        "A claim that is not believed yet. It waits in the inbox, beside contested memories, proposals and new "
        "versions of skills, until a person decides or independent repetition confirms it (`AUTO_CONFIRM`)."
    ),
    _("contested"): _("Disputed by another memory or by words; waits for a person."),
    _("confidence"): _("How sure a claim is, 0 to 100. Confirmations add to it, idleness takes from it."),
    _("salience"): _(
        "How present a memory is, 0 to 1: a formula of the clock that fades unless it is reinforced. It orders results "
        "and prunes experience; it never decides about knowledge."
    ),
    _("withheld"): _(
        "A shared row whose claim was dismissed in one scope: it waits, climbs by no number, and is not offered where "
        "that scope is read. A working state of which a sentence says what was dismissed is withheld likewise, but "
        "from its own agent."
    ),
    _("scope"): _("The partition of visibility, e.g. `project:shop`. Empty: visible in every scope."),
    _("sensitivity"): _(
        "public, low, medium, high or hyper: of every memory, at least that of the episodes behind it."
    ),
    _("clearance"): _("The highest sensitivity that a token or person may see."),
    _("lesson"): _(
        "What made the difference between a run that ended well and one that failed, where no skill says it: a line "
        "that a language model wrote and recorded runs speak for. It waits for a person; some runs, drawn by lot, do "
        "without it."
    ),
    _("policy"): _(
        "A condition under which a tool is not to be called, read by a language model in the instructions of agents. "
        "It waits for a person; a check then notes a call that breaks it."
    ),
    _("worth"): _(
        "What a skill would have changed over the runs of its scope, each measured with its own case left out."
    ),
    _("verdict"): _(
        "How likely a run fails or failed, told by similar runs: low, medium, high, or unknown where they are few or "
        "unlike."
    ),
    _("adaptation"): _(
        "The record that an applied preference, pattern or workflow changes how agents behave; told to its agent once, "
        "revertible."
    ),
}


@register.simple_tag
def term(name: str) -> SafeString | str:
    """Render the button that explains a term, once on a page; '' for a word without an explanation."""
    meaning = MEANINGS.get(str(name))
    if meaning is None:
        return ""
    return fragment("components/_term.html", name=str(name), word=gettext(str(name)), meaning=gettext(meaning))
