"""Explains a term where it stands: a button beside it shows its row of docs/glossary.md, in the reader's language."""

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from memos_site.web.fragments import fragment

register = template.Library()

MEANINGS = {  # word for word as the glossary has them
    _("candidate"): _(
        "A claim that is not confirmed yet. It waits in the inbox, beside contested memories, proposals and new "
        "versions of skills, until a person decides or independent repetition confirms it (`AUTO_CONFIRM`)."
    ),
    _("contested"): _("Disputed by another memory or by words; waits for a person."),
    _("confidence"): _("How certain a claim is, 0 to 100. Confirmations raise it, inactivity lowers it."),
    _("salience"): _(
        "How relevant a memory currently is, 0 to 1: computed from the time since its last use; it fades unless "
        "it is reinforced. It orders results and prunes experience; it never decides about knowledge."
    ),
    _("withheld"): _(
        "A shared memory whose claim was dismissed in one scope: it waits for a person, rules do not promote it, "
        "and it is not offered to readers of that scope. A working state that repeats a dismissed claim is "
        "likewise hidden from all agents except its own."
    ),
    _("scope"): _("The partition of visibility, e.g. `project:shop`. Empty: visible in every scope."),
    _("sensitivity"): _(
        "public, low, medium, high or hyper: of every memory, at least that of the episodes behind it."
    ),
    _("clearance"): _("The highest sensitivity that a token or person may see."),
    _("lesson"): _(
        "What made the difference between a run that ended well and one that failed, where no skill covers it: a "
        "line that a language model wrote and recorded runs support. It waits for a person; it is withheld from "
        "some runs, chosen at random."
    ),
    _("policy"): _(
        "A condition under which a tool must not be called, read by a language model in the instructions of "
        "agents. It waits for a person; once accepted, a check reports calls that break it."
    ),
    _("worth"): _(
        "How a skill would have changed the outcomes of the runs in its scope, each measured with its own case "
        "left out."
    ),
    _("verdict"): _(
        "How likely a run is to fail, or to have failed, judged by similar runs: low, medium, high, or unknown if"
        " they are few or too different."
    ),
    _("adaptation"): _(
        "The record that an applied preference, pattern or workflow changes how agents behave; its agent is "
        "notified once, and it can be reverted."
    ),
}


@register.simple_tag
def term(name: str) -> SafeString | str:
    """Render the button that explains a term, once on a page; '' for a word without an explanation."""
    meaning = MEANINGS.get(str(name))
    if meaning is None:
        return ""
    return fragment("components/_term.html", name=str(name), word=gettext(str(name)), meaning=gettext(meaning))
